import { outagePolicy } from '@gatepost/contracts';
import { type EnvironmentFault, variable, whole } from '@gatepost/service-kit';
import { z } from 'zod';
import { readRedisAddress } from './redis-connection.ts';

/** The secret of development; production refuses it. */
export const DEVELOPMENT_LIMITER_SECRET = 'gatepost-development-limiter-secret';

const redisUrl = z.string().superRefine((url, context) => {
  try {
    readRedisAddress(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});

/** The variables of the limiter. */
export function limiterEnvironment() {
  return {
    REDIS_URL: variable(
      redisUrl.optional(),
      'Where the buckets are: `redis://`, `rediss://`, `redis+sentinel://`, `redis+cluster://` (README of the gateway); absent: this process',
      { secret: true },
    ),
    LIMITS_FILE: variable(
      z.string().optional(),
      'Tiers, rules, lists and keys as YAML or JSON, re-read when it changes; absent: the built-in limits',
    ),
    LIMITER_ON_STORE_FAILURE: variable(
      outagePolicy.default('open'),
      'While the store is away: `open` forwards all, `closed` answers 503, `local` limits in process. A rule may say otherwise',
    ),
    LIMITER_SECRET: variable(
      z.string().min(16).default(DEVELOPMENT_LIMITER_SECRET),
      'Keys the hashes under which callers are stored; the same on every gateway. A new one resets all usage',
      { secret: true },
    ),
    LIMITER_STORE_TIMEOUT_MS: variable(
      whole({ min: 2, max: 5_000, initially: 25 }),
      'How long an answer of the store is waited for',
    ),
    LIMITER_IPV6_PREFIX: variable(
      whole({ min: 32, max: 128, initially: 64 }),
      'Bits of an IPv6 address that are one client',
    ),
  };
}

export type LimiterEnv = z.output<z.ZodObject<ReturnType<typeof limiterEnvironment>>>;

/** What is refused in the limiter's variables, most of it in production only. */
export function limiterRefusals(
  env: LimiterEnv & {
    readonly GATEPOST_ENV: 'development' | 'production';
    readonly WORKERS: number;
  },
): EnvironmentFault[] {
  const faults: EnvironmentFault[] = [];
  if (env.WORKERS > 1 && env.REDIS_URL === undefined)
    faults.push({
      variable: 'WORKERS',
      fault: 'several processes need REDIS_URL, or each of them grants the whole limit',
    });
  if (env.GATEPOST_ENV !== 'production') return faults;
  if (env.REDIS_URL === undefined)
    faults.push({
      variable: 'REDIS_URL',
      fault: 'production needs a store that all gateways share',
    });
  if (env.LIMITER_SECRET === DEVELOPMENT_LIMITER_SECRET)
    faults.push({
      variable: 'LIMITER_SECRET',
      fault: 'the development secret is refused in production',
    });
  return faults;
}
