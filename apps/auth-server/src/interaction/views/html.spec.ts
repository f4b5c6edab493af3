import { Html, html } from './html.ts';

const EVIL = `"><script>alert('1')</script>&\``;
const SAFE = '&quot;&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;&#96;';

describe('templates', () => {
  it('escape what goes into a hole, in text and in attributes', () => {
    expect(html`<p title="${EVIL}">${EVIL}</p>`.markup).toBe(`<p title="${SAFE}">${SAFE}</p>`);
  });

  it('escape every item of a list, however deep', () => {
    expect(html`${[[EVIL], [html`<b>${EVIL}</b>`]]}`.markup).toBe(`${SAFE}<b>${SAFE}</b>`);
  });

  it('take templates as they are', () => {
    expect(html`<p>${html`<b>x</b>`}</p>`.markup).toBe('<p><b>x</b></p>');
  });

  it('show nothing for what is absent, and zero as zero', () => {
    expect(html`[${undefined}${null}${false}${0}]`.markup).toBe('[0]');
  });

  it('escape what only looks like a template', () => {
    const lookalike = { markup: '<b>', toString: () => '<b>' } as unknown as string;
    expect(html`${lookalike}`.markup).toBe('&lt;b&gt;');
    expect(html`${new Html('<i>')}`.markup).toBe('<i>');
  });
});
