import { readFileSync } from 'node:fs';
import { openApiDocument } from './openapi-document.ts';
import { OPENAPI_FILE, openApiFileContent } from './write-openapi.ts';

interface Described {
  readonly operationId: string;
  readonly security: unknown[];
  readonly responses: Record<string, unknown>;
}

const document = openApiDocument('https://go.example.com') as unknown as {
  readonly paths: Record<string, Record<string, Described>>;
  readonly components: { readonly schemas: Record<string, unknown> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

describe('the OpenAPI description', () => {
  it('is the committed file; after a change of the contracts run `node apps/shortener/dist/main.js openapi`', () => {
    expect(readFileSync(OPENAPI_FILE, 'utf8')).toBe(openApiFileContent());
  });

  it('has every schema that it refers to, and refers to every one that it has', () => {
    const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/(\w+)"/g)];
    const names = new Set(referred.map(([, name]) => name));
    expect([...names].sort()).toEqual(Object.keys(document.components.schemas).sort());
  });

  it('names each operation once, and says of each whether it needs a token', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { security } of operations) expect(Array.isArray(security)).toBe(true);
  });

  it('lets a link be made with a token or without', () => {
    expect(document.paths['/shorten']?.['post']?.security).toEqual([
      {},
      { accessToken: ['links:write'] },
    ]);
  });

  it('describes every refusal as a problem', () => {
    for (const { responses } of operations)
      for (const [status, response] of Object.entries(responses))
        if (Number(status) >= 400)
          expect(Object.keys((response as { content: object }).content)).toEqual([
            'application/problem+json',
          ]);
  });

  it('shows the schemas that requests are checked with', () => {
    expect(document.components.schemas['CreateLink']).toMatchObject({
      type: 'object',
      required: ['longUrl'],
      additionalProperties: false,
    });
    expect(document.components.schemas['ChangeLink']).toMatchObject({ minProperties: 1 });
  });
});
