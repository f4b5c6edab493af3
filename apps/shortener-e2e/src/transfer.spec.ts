import { describeWith } from '@gatepost/test-services';
import { TestShortener } from './shortener.ts';

describeWith(['postgres'], 'export and import', () => {
  let shortener: TestShortener;
  let token: string;

  beforeAll(async () => {
    shortener = await TestShortener.start();
    token = shortener.token({ sub: 'mover' });
  });

  afterAll(() => shortener?.stop());

  const importCsv = (body: string, by = token) =>
    shortener.call('/links/import', {
      method: 'POST',
      body,
      token: by,
      headers: { 'content-type': 'text/csv; charset=utf-8' },
    });

  describe('GET /links/export', () => {
    it('200 with all links, more than a page of them, as JSON and as CSV', async () => {
      const many = shortener.token({ sub: 'hoarder' });
      for (let round = 0; round < 12; round++)
        await shortener.call('/links/bulk', {
          token: many,
          body: {
            items: Array.from({ length: 100 }, (_, number) => ({
              longUrl: `https://example.org/${round}/${number},"x"`,
            })),
          },
        });
      const json = await shortener.call('/links/export?format=json', { token: many });
      expect(json.headers.get('content-type')).toBe('application/json');
      expect(json.headers.get('content-disposition')).toBe('attachment; filename="links.json"');
      expect(new Set(json.json.items.map((link: { code: string }) => link.code)).size).toBe(1_200);
      const csv = await shortener.call('/links/export?format=csv', { token: many });
      const lines = csv.text.trimEnd().split('\r\n');
      expect(lines[0]).toBe('code,shortUrl,longUrl,createdAt,expiresAt,trackClicks,state');
      expect(lines).toHaveLength(1_201);
    });

    it('200 with an empty list for who has no links', async () => {
      const nobody = shortener.token({ sub: 'nobody' });
      expect((await shortener.call('/links/export', { token: nobody })).json).toEqual({
        items: [],
      });
      const csv = await shortener.call('/links/export?format=csv', { token: nobody });
      expect(csv.text.trim().split('\r\n')).toHaveLength(1);
    });

    it('400 for another format, 401 without a token', async () => {
      expect((await shortener.call('/links/export?format=xml', { token })).status).toBe(400);
      expect((await shortener.call('/links/export')).status).toBe(401);
    });
  });

  describe('POST /links/import', () => {
    it('200 with links made from an export, whose codes were free here', async () => {
      const text =
        'code,shortUrl,longUrl,createdAt,expiresAt,trackClicks,state\r\n' +
        'impor01,https://old.example/impor01,"https://example.org/a?b=""c"",d",2020-01-01T00:00:00.000Z,2099-01-01T00:00:00.000Z,false,active\r\n' +
        'impor02,https://old.example/impor02,https://example.org/2,2020-01-01T00:00:00.000Z,,true,active\r\n';
      const { status, json } = await importCsv(text);
      expect(status).toBe(200);
      expect(json.results.map((result: { status: number }) => result.status)).toEqual([201, 201]);
      expect(json.results[0].link).toMatchObject({
        code: 'impor01',
        longUrl: 'https://example.org/a?b=%22c%22,d',
        trackClicks: false,
        expiresAt: '2099-01-01T00:00:00.000Z',
      });
      expect((await shortener.call('/impor02')).status).toBe(302);
    });

    it('200 with the fate of each row', async () => {
      const { json } = await importCsv(
        'customAlias,longUrl,trackClicks\n,https://example.org/1,\nimpor01,https://example.org/2,\n,ftp://x,\n,https://example.org/3,maybe\n',
      );
      const statuses = json.results.map((result: { status: number }) => result.status);
      expect(statuses).toEqual([201, 409, 400, 400]);
    });

    it('takes the JSON of an export back, and a bare list', async () => {
      const from = shortener.token({ sub: 'source' });
      await shortener.create({ longUrl: 'https://example.org/source' }, from);
      const exported = await shortener.call('/links/export', { token: from });
      const again = await shortener.call('/links/import', { body: exported.json, token: from });
      expect(again.json.results[0].status).toBe(409);
      const bare = await shortener.call('/links/import', {
        body: [{ longUrl: 'https://example.org/bare' }],
        token,
      });
      expect(bare.json.results[0].status).toBe(201);
    });

    it('makes thousands', async () => {
      const rows = Array.from({ length: 3_000 }, (_, row) => `https://example.org/${row}`);
      const { json } = await importCsv(
        `longUrl\n${rows.join('\n')}\n`,
        shortener.token({ sub: 'm' }),
      );
      expect(json.results).toHaveLength(3_000);
      expect(json.results.every((result: { status: number }) => result.status === 201)).toBe(true);
    });

    it.each([
      ['nothing', ''],
      ['a header alone', 'longUrl\n'],
      ['rows of different lengths', 'longUrl,code\nx\n'],
      ['too many rows', `longUrl\n${'x\n'.repeat(10_001)}`],
    ])('400 for %s', async (_name, text) => {
      expect((await importCsv(text)).status).toBe(400);
    });

    it.each([
      ['no list', { items: 5 }],
      ['an unknown member', { items: [{ longUrl: 'https://example.org' }], more: 1 }],
    ])('400 for %s', async (_name, body) => {
      expect((await shortener.call('/links/import', { body, token })).status).toBe(400);
    });

    it('415 for other media types, 403 without the scope', async () => {
      const headers = { 'content-type': 'text/plain' };
      const plain = await shortener.call('/links/import', {
        method: 'POST',
        body: 'x',
        token,
        headers,
      });
      expect(plain.status).toBe(415);
      const reader = shortener.token({ scope: 'links:read' });
      expect((await importCsv('longUrl\nhttps://example.org\n', reader)).status).toBe(403);
    });
  });
});
