import { z } from 'zod';
import { ReputationCheck } from './reputation-check.ts';

const answer = z.object({ malicious: z.boolean(), reason: z.string().max(300).nullish() });

export interface ReputationHook {
  readonly url: string;
  readonly token: string | undefined;
  readonly timeoutMs: number;
}

/** Asks a service of the operator's: POST `{ url }`, answered by `{ malicious, reason }`. */
export class HttpReputationCheck extends ReputationCheck {
  constructor(private readonly hook: ReputationHook) {
    super();
  }

  async check(url: URL, signal: AbortSignal): Promise<string | undefined> {
    const { token, timeoutMs } = this.hook;
    const response = await fetch(this.hook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify({ url: url.href }),
      redirect: 'error',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`the reputation hook answered ${response.status}`);
    }
    const { malicious, reason } = answer.parse(await response.json());
    if (!malicious) return undefined;
    return reason || 'A reputation service calls the destination dangerous.';
  }
}
