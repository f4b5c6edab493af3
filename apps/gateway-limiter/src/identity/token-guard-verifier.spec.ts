import { type AccessTokenVerifier, TokenRefused, TokenUndecided } from '@gatepost/token-guard';
import type { RequestFacts } from '../limiting/limit-verdict.ts';
import { verifyWithTokenGuard } from './token-guard-verifier.ts';

type Guard = Pick<AccessTokenVerifier, 'peek' | 'verify'>;
type Presented = Parameters<Guard['verify']>[0];
type Verdict = Awaited<ReturnType<Guard['verify']>>;

const claims = (subject: string, clientId: string) =>
  ({ subject, clientId, scopes: new Set() }) as unknown as Verdict;
const facts: RequestFacts = {
  kind: 'request',
  method: 'POST',
  host: 'gate.example',
  path: '/shorten',
  headers: { dpop: 'proof' },
  clientAddress: '192.0.2.1',
};

describe('verification by token-guard', () => {
  const presented: Presented[] = [];
  const guard = (verdict: Verdict): Guard => ({
    peek: () => undefined,
    verify: async (token) => {
      presented.push(token);
      return verdict;
    },
  });
  const verify = (verdict: Verdict) =>
    verifyWithTokenGuard(guard(verdict), 'https://gate.example').verify('t', 'dpop', facts);

  it.each([
    ['a user by its subject', claims('alice', 'web'), { kind: 'user', id: 'alice' }],
    ['a client that acts for itself', claims('robot', 'robot'), { kind: 'client', id: 'robot' }],
    ['a refused token as nobody', new TokenRefused('expired' as never), undefined],
    ['a token that cannot be judged as nobody', new TokenUndecided('status'), undefined],
  ])('sees %s', async (_title, verdict, subject) => {
    expect(await verify(verdict)).toEqual(subject);
  });

  it('hands on the proof of possession with the public address that it is bound to', async () => {
    presented.length = 0;
    await verify(claims('alice', 'web'));
    expect(presented).toEqual([
      {
        token: 't',
        scheme: 'dpop',
        method: 'POST',
        url: 'https://gate.example/shorten',
        dpopProof: 'proof',
      },
    ]);
  });
});
