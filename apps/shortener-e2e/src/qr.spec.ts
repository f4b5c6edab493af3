import { describeWith } from '@gatepost/test-services';
import { TestShortener } from './shortener.ts';

describeWith(['postgres'], 'GET /links/{code}/qr', () => {
  let shortener: TestShortener;
  let token: string;
  let code: string;

  beforeAll(async () => {
    shortener = await TestShortener.start();
    token = shortener.token();
    code = await shortener.create({}, token);
  });

  afterAll(() => shortener?.stop());

  it.each(['', '?format=', '?format=svg'])(
    '200 with a picture of lines for "%s"',
    async (query) => {
      const { status, headers, text } = await shortener.call(`/links/${code}/qr${query}`, {
        token,
      });
      expect([status, headers.get('content-type')]).toEqual([200, 'image/svg+xml']);
      expect(text).toMatch(/^<svg .*<\/svg>\s*$/s);
    },
  );

  it('200 with a picture of dots', async () => {
    const { status, headers, text } = await shortener.call(`/links/${code}/qr?format=png`, {
      token,
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'image/png']);
    expect(text.slice(1, 4)).toBe('PNG');
  });

  it('400 for another format', async () => {
    expect((await shortener.call(`/links/${code}/qr?format=gif`, { token })).status).toBe(400);
  });

  it('401 without a token, 404 for the link of another', async () => {
    expect((await shortener.call(`/links/${code}/qr`)).status).toBe(401);
    const other = shortener.token({ sub: 'mallory' });
    expect((await shortener.call(`/links/${code}/qr`, { token: other })).status).toBe(404);
  });
});
