import { createHash } from 'node:crypto';
import { addLine, Blocklist, emptyEntries } from './blocklist.ts';

function blocklistOf(...lines: string[]): Blocklist {
  const entries = emptyEntries();
  for (const line of lines) addLine(entries, line);
  const blocklist = new Blocklist();
  blocklist.replace(entries);
  return blocklist;
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('Blocklist', () => {
  it('blocks a host exactly', () => {
    const blocklist = blocklistOf('evil.example');
    expect(blocklist.find('https://evil.example/a')).toBe(
      'The site evil.example is on a blocklist.',
    );
    expect(blocklist.find('https://evil.example.:8443/')).toBeDefined();
    expect(blocklist.find('https://sub.evil.example/')).toBeUndefined();
    expect(blocklist.find('https://notevil.example/')).toBeUndefined();
    expect(blocklist.find('https://good.example/evil.example')).toBeUndefined();
  });

  it.each(['.evil.example', '*.evil.example', '||evil.example^'])(
    'blocks a domain with all below it: %s',
    (line) => {
      const blocklist = blocklistOf(line);
      for (const host of ['evil.example', 'a.evil.example', 'a.b.c.evil.example'])
        expect(blocklist.find(`https://${host}/`)).toBeDefined();
      for (const host of ['notevil.example', 'example', 'evil.example.org'])
        expect(blocklist.find(`http://${host}/`)).toBeUndefined();
    },
  );

  it.each(['0.0.0.0 evil.example', '127.0.0.1\tevil.example # hosts file', '::1 evil.example'])(
    'reads hosts files: %s',
    (line) => {
      expect(blocklistOf(line).find('https://evil.example/')).toBeDefined();
    },
  );

  it.each([
    sha256('https://shared.example/evil?x=1'),
    sha256('https://shared.example/evil?x=1').toUpperCase(),
    `sha256:${sha256('https://shared.example/evil?x=1')}`,
    'https://shared.example/evil?x=1',
    'HTTPS://SHARED.example:443/evil?x=1#part',
  ])('blocks one URL of a host that others share: %s', (line) => {
    const blocklist = blocklistOf(line);
    expect(blocklist.find('https://shared.example/evil?x=1')).toBe(
      'The destination is on a blocklist.',
    );
    expect(blocklist.find('https://shared.example/evil?x=1#elsewhere')).toBeDefined();
    expect(blocklist.find('https://shared.example/evil?x=1#')).toBeDefined();
    expect(blocklist.find('https://shared.example/good')).toBeUndefined();
  });

  it('compares hosts as browsers write them', () => {
    expect(blocklistOf('EVIL.Example').find('https://evil.example/')).toBeDefined();
    expect(blocklistOf('bücher.example').find('https://xn--bcher-kva.example/')).toBeDefined();
    expect(blocklistOf('evil.example.').find('https://evil.example/')).toBeDefined();
    expect(blocklistOf('203.0.113.7').find('http://203.0.113.7/')).toBeDefined();
  });

  it.each(['', '   ', '# comment', '! comment', '##.banner', '\r'])('passes over %j', (line) => {
    const entries = emptyEntries();
    expect(addLine(entries, line)).toBe(true);
    expect(entries).toEqual(emptyEntries());
  });

  it.each(['evil example', '/regex/', 'evil.example/path', 'https://', '@@||x.example^'])(
    'says of %j that it means nothing',
    (line) => {
      const entries = emptyEntries();
      expect(addLine(entries, line)).toBe(false);
      expect(entries).toEqual(emptyEntries());
    },
  );

  it('starts a new edition with each reload', () => {
    const blocklist = blocklistOf('evil.example');
    const { edition } = blocklist;
    blocklist.replace(emptyEntries());
    expect(blocklist.edition).toBeGreaterThan(edition);
    expect(blocklist.find('https://evil.example/')).toBeUndefined();
  });
});
