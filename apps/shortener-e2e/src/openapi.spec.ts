import { describeWith, redisUrl } from '@gatepost/test-services';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { answerFaults } from './openapi/answer-faults.ts';
import { operations } from './openapi/description.ts';
import { requestsOf } from './openapi/requests.ts';
import { PUBLIC_URL, TestShortener } from './shortener.ts';

describeWith(['postgres', 'redis'], 'what openapi.json describes', () => {
  let shortener: TestShortener;
  let token: string;

  beforeAll(async () => {
    shortener = await TestShortener.start({ REDIS_URL: redisUrl() });
    // Longer than any run.
    token = shortener.token({ lifetimeSeconds: 86_400 });
  });

  afterAll(() => shortener?.stop());

  describe.each(operations)('$name', (operation) => {
    const { method, path, scope, isTokenOptional } = operation;
    let codes: string[];

    beforeAll(async () => {
      const bodies = [{}, { trackClicks: false }, { expiresAt: '2099-01-01T00:00:00Z' }];
      codes = await Promise.all(bodies.map((body) => shortener.create(body, token)));
      codes.push(await shortener.create());
    });

    it('answers any request as documented, and never with 5xx', async () => {
      await fc.assert(
        fc.asyncProperty(requestsOf(operation, codes), fc.nat(9), async (request, pick) => {
          const { path: target, ...options } = request;
          const isWithToken = scope !== undefined && (!isTokenOptional || pick < 8);
          const answer = await shortener.call(
            target,
            isWithToken ? { ...options, token } : options,
          );
          expect(answerFaults(operation, answer)).toEqual([]);
        }),
        runs(method === 'POST' ? 150 : 300),
      );
    });

    if (scope === undefined) return;

    it('refuses every token but one of its own', async () => {
      const other = scope === 'links:read' ? 'links:write' : 'links:read';
      const bad: [number, string | undefined][] = [
        [403, shortener.token({ scope: other })],
        [403, shortener.token({ scope: '' })],
        [401, shortener.token({ lifetimeSeconds: -3_600 })],
        // What an id_token is: for a client, and of another type.
        [401, shortener.token({ audience: 'web', type: 'JWT' })],
        [401, shortener.token({ type: 'JWT' })],
        [401, shortener.token({ audience: 'https://other.example' })],
        [401, shortener.token({ issuer: 'https://evil.example/auth' })],
        [401, `${shortener.token().slice(0, -8)}AAAAAAAA`],
        [401, 'opaque'],
        ...(isTokenOptional ? [] : [[401, undefined] as [number, undefined]]),
      ];
      const target = path.replace('{code}', codes[0] as string);
      const body = operation.operation.requestBody && { body: { longUrl: `${PUBLIC_URL}x` } };
      for (const [status, held] of bad) {
        const answer = await shortener.call(target, {
          method,
          ...body,
          ...(held === undefined ? {} : { token: held }),
        });
        expect([answer.status, answerFaults(operation, answer)]).toEqual([status, []]);
        if (status === 401) expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer /);
      }
    });
  });
});
