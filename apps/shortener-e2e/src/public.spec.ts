import { readFileSync } from 'node:fs';
import { describeWith } from '@gatepost/test-services';
import { PUBLIC_URL, TestShortener } from './shortener.ts';

describeWith(['postgres'], 'what the service says of itself', () => {
  let shortener: TestShortener;

  beforeAll(async () => {
    shortener = await TestShortener.start();
  });

  afterAll(() => shortener?.stop());

  it('GET / is a page that names the way in', async () => {
    const { status, headers, text } = await shortener.call('/');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(text).toContain(`curl -X POST ${PUBLIC_URL}/shorten`);
    expect(text).toContain('href="/openapi.json"');
  });

  it('GET /openapi.json is the committed description, at this address', async () => {
    const { status, json } = await shortener.call('/openapi.json');
    const file = new URL('../../shortener/openapi.json', import.meta.url);
    const committed = readFileSync(file, 'utf8').replaceAll('http://localhost:8080', PUBLIC_URL);
    expect([status, json]).toEqual([200, JSON.parse(committed)]);
  });

  it('every operation that it describes exists', async () => {
    const { json } = await shortener.call('/openapi.json');
    const token = shortener.token();
    for (const [path, methods] of Object.entries(json.paths as Record<string, object>))
      for (const method of Object.keys(methods)) {
        const { status, text } = await shortener.call(path.replace('{code}', 'absent1'), {
          method: method.toUpperCase(),
          token,
        });
        // Not the 404 of an unknown route.
        expect([method, path, status, text]).not.toEqual([
          method,
          path,
          404,
          expect.stringContaining('There is nothing at this address.'),
        ]);
      }
  });
});
