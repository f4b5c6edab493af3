import { randomBytes } from 'node:crypto';
import { type ServiceEnv, type ServiceParts } from '@gatepost/service-kit';
import { Definitions } from './administration/definitions.service.ts';
import { keyRoutes } from './administration/keys.plugin.ts';
import { limitRoutes } from './administration/limits.plugin.ts';
import { openDefinition } from './definition-file.ts';
import type { BearerVerifier } from './identity/bearer-verifier.ts';
import { CallerIdentifier } from './identity/caller-identifier.ts';
import { DEFAULT_LIMITS } from './limiting/default-limits.ts';
import { createLimiter } from './limiting/limit.hook.ts';
import type { LimitRequest } from './limiting/limit-verdict.ts';
import type { LimiterEnv } from './limiting/limiter-environment.ts';
import { parseLimits } from './limiting/limits-file.ts';
import { LimitsInForce } from './limiting/limits-in-force.ts';
import { LocalLimits } from './limiting/local-limits.ts';
import { LimitBook } from './limiting/policies.ts';
import { BUCKETS_IN_PROCESS, nowUs, openBuckets } from './open-buckets.ts';

export interface LimiterDoor {
  readonly limit: LimitRequest;
  close(): Promise<void>;
}

export interface LimiterServiceParts
  extends Pick<
    ServiceParts<ServiceEnv & LimiterEnv>,
    'env' | 'logger' | 'metrics' | 'readiness' | 'management'
  > {
  readonly verifier: BearerVerifier;
}

const DEFINITIONS_POLL_MS = 250;
const FILE_POLL_MS = 1_000;
const FIRST_CONNECTION_MS = 1_000;
const DEMO_KEYS = [
  { name: 'demo-free', tier: 'free', key: 'demo-key-free' },
  { name: 'demo-paid', tier: 'paid', key: 'demo-key-paid' },
];

const nowMs = () => Date.now();

/** Puts the limiter together: identity, limits and administration, on Redis or in this process. */
export async function openLimiter(parts: LimiterServiceParts): Promise<LimiterDoor> {
  const { env, logger, readiness } = parts;
  const file = openDefinition(env.LIMITS_FILE, parseLimits);
  const buckets = openBuckets(parts);
  const definitions = new Definitions({
    store: buckets.definitions,
    demoKeys: env.DEMO ? DEMO_KEYS : [],
    onTrouble: (error) =>
      logger.warn(
        { trouble: error.message },
        'keys and overrides cannot be followed; the last known stay in force',
      ),
  });
  const toBook = (definition: typeof DEFAULT_LIMITS) => {
    definitions.useFileKeys(definition.keys);
    return new LimitBook(definition, env.LIMITER_ON_STORE_FAILURE);
  };
  const limits = new LimitsInForce(
    toBook(file?.definition ?? DEFAULT_LIMITS),
    definitions.findOverride,
    nowMs,
  );
  file?.watch(FILE_POLL_MS, {
    changed: (definition) => {
      limits.replace(toBook(definition));
      logger.info('limits changed');
    },
    refused: ({ faults }) =>
      logger.error({ faults }, 'limits file refused; the former limits stay in force'),
  });
  await buckets.connected?.(FIRST_CONNECTION_MS);
  await definitions.refresh();
  definitions.follow(DEFINITIONS_POLL_MS);

  const identifier = new CallerIdentifier({
    secret: env.LIMITER_SECRET,
    findKey: definitions.findKey,
    verifier: parts.verifier,
    ipv6PrefixBits: env.LIMITER_IPV6_PREFIX,
    nowUs,
  });
  parts.management.addRoutes(
    keyRoutes({
      definitions,
      store: buckets.definitions,
      hasTier: (tier) => limits.book.hasTier(tier),
      randomSecret: () => randomBytes(32).toString('base64url'),
      nowMs,
    }),
  );
  parts.management.addRoutes(
    limitRoutes({
      identifier,
      limits,
      store: buckets.store,
      tierOfKey: (name) => definitions.listKeys().find((key) => key.name === name)?.tier,
      definitions,
      definitionStore: buckets.definitions,
      listOffenders: buckets.listOffenders,
      origin: {
        source: env.LIMITS_FILE ?? 'built in',
        outage: env.LIMITER_ON_STORE_FAILURE,
        store: buckets.kind,
      },
    }),
  );
  readiness.watch('limiter store', buckets.describe);
  return {
    limit: createLimiter({
      identifier,
      limits,
      take: buckets.take,
      local: new LocalLimits({
        nowUs,
        capacity: BUCKETS_IN_PROCESS,
        liveWorkers: () => definitions.liveWorkers,
      }),
      signals: buckets.signals,
      nowMs,
      random: Math.random,
      trace: logger.isLevelEnabled('trace')
        ? (request, { kind, decidedAtMs }) =>
            logger.trace(
              { kind, decidedAtMs, draws: request.map(({ key, cost }) => ({ key, cost })) },
              'decided',
            )
        : undefined,
    }),
    close: async () => {
      file?.stop();
      definitions.stop();
      buckets.close();
    },
  };
}
