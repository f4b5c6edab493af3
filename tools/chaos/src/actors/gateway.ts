import { createHash } from 'node:crypto';
import type { App } from '../app.ts';
import type { Bucket } from '../checkers/limiter-bound.ts';
import type { Stage } from '../stage.ts';

export interface GatewayOptions {
  readonly name: string;
  /** Where everything is forwarded to. */
  readonly upstream: string;
  /** Undefined: it counts by itself. */
  readonly redisUrl: string | undefined;
  /** Path of a limits file. */
  readonly limits: string;
  readonly env?: Readonly<Record<string, string>>;
}

export function startGateway(stage: Stage, options: GatewayOptions): Promise<App> {
  const { name, upstream, redisUrl, limits, env = {} } = options;
  return stage.startApp({
    name,
    app: 'gateway-limiter',
    env: {
      SHORTENER_UPSTREAM: upstream,
      AUTH_UPSTREAM: upstream,
      ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
      LIMITS_FILE: limits,
      ...env,
    },
  });
}

/** More than any scenario asks for. */
const PLENTY = { second: 1_000_000 };

/** A limits file under which nobody is refused anything but the holders of `keys`, who have a bucket each. */
export function writeLimits(
  stage: Stage,
  keys: readonly string[] = [],
  { capacity, perSecond }: Bucket = { capacity: 1, perSecond: 1 },
): string {
  return stage.writeFile('limits.json', {
    tiers: {
      anonymous: PLENTY,
      free: PLENTY,
      paid: PLENTY,
      watched: { second: { limit: perSecond, burst: capacity } },
    },
    keys: keys.map((key) => ({
      name: key,
      tier: 'watched',
      sha256: createHash('sha256').update(key).digest('hex'),
    })),
  });
}
