import { readFileSync } from 'node:fs';
import { clickEvent, clickEventHeaders } from '@gatepost/contracts';
import { asyncApiDocument, EXAMPLE_EVENT, EXAMPLE_HEADERS } from './asyncapi-document.ts';
import { ASYNCAPI_FILE, asyncApiFileContent } from './write-asyncapi.ts';

describe('asyncapi.json', () => {
  it('is what the contract generates: write it anew with the command asyncapi', () => {
    expect(readFileSync(ASYNCAPI_FILE, 'utf8')).toBe(asyncApiFileContent());
  });

  it('describes a value of exactly five members', () => {
    const { ClickEvent } = asyncApiDocument().components.schemas;
    expect(ClickEvent).toMatchObject({
      required: ['code', 'timestamp', 'ip', 'referrer', 'userAgent'],
      additionalProperties: false,
    });
    expect(Object.keys(ClickEvent['properties'] as object)).toHaveLength(5);
  });

  it('shows examples that the contract accepts', () => {
    expect(clickEvent.parse(EXAMPLE_EVENT)).toEqual(EXAMPLE_EVENT);
    expect(clickEventHeaders.parse(EXAMPLE_HEADERS)).toEqual(EXAMPLE_HEADERS);
  });

  it('refers to nothing that it does not hold', () => {
    const document: unknown = asyncApiDocument();
    for (const [, path = ''] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = path
        .split('/')
        .reduce<unknown>((node, step) => (node as Record<string, unknown>)?.[step], document);
      expect(target).toBeDefined();
    }
  });
});
