import { randomUUID } from 'node:crypto';
import {
  type BucketStore,
  type Decision,
  MemoryBucketStore,
  type TakeRequest,
} from '@gatepost/limiter-core';
import type { ServiceEnv, ServiceParts } from '@gatepost/service-kit';
import type { DefinitionStore } from './administration/definition-store.ts';
import { MemoryDefinitionStore } from './administration/memory-definition-store.ts';
import { RedisDefinitionStore } from './administration/redis-definition-store.ts';
import { SharedOffenders } from './administration/shared-offenders.ts';
import type { LimiterEnv } from './limiting/limiter-environment.ts';
import { LimiterSignals } from './limiting/limiter-signals.ts';
import { ReplicationMetrics } from './limiting/replication-metrics.ts';
import { SharedBuckets } from './limiting/shared-buckets.ts';
import type { OffenderCount } from './limiting/top-offenders.ts';

export type BucketsParts = Pick<
  ServiceParts<ServiceEnv & LimiterEnv>,
  'env' | 'logger' | 'metrics'
>;

/** Buckets held in process: about 300 bytes each. */
export const BUCKETS_IN_PROCESS = 200_000;

/** Whole µs since 1970 that never run backwards. */
export const nowUs = () => Math.floor((performance.timeOrigin + performance.now()) * 1_000);
const nowMs = () => Date.now();
const monotonicUs = () => Math.floor(performance.now() * 1_000);

/** Everything that lives where the buckets live. */
export interface Buckets {
  readonly kind: string;
  readonly store: BucketStore;
  readonly definitions: DefinitionStore;
  readonly signals: LimiterSignals;
  listOffenders(): Promise<OffenderCount[]>;
  take(request: TakeRequest): Promise<Decision | undefined>;
  describe(): { up: boolean; detail?: string };
  connected?(atMostMs: number): Promise<boolean>;
  close(): void;
}

/** On Redis where there is one, else in this process. */
export function openBuckets(parts: BucketsParts): Buckets {
  const url = parts.env.REDIS_URL;
  return url === undefined ? openOwnBuckets(parts) : openSharedBuckets(parts, url);
}

function openOwnBuckets({ logger, metrics }: BucketsParts): Buckets {
  const store = new MemoryBucketStore({ nowUs, capacity: BUCKETS_IN_PROCESS });
  const signals = new LimiterSignals(metrics, logger);
  return {
    kind: 'this process',
    store,
    definitions: new MemoryDefinitionStore(),
    signals,
    listOffenders: async () => signals.topOffenders(nowMs()),
    take: async (request) => store.decide(request),
    describe: () => ({ up: true, detail: 'in this process' }),
    close: () => undefined,
  };
}

function openSharedBuckets({ env, logger, metrics }: BucketsParts, url: string): Buckets {
  const shared = new SharedBuckets({
    url,
    timeoutMs: env.LIMITER_STORE_TIMEOUT_MS,
    monotonicUs,
    onCall: (seconds, answered) => signals.noteStoreCall(seconds, answered),
    onPhase: (node, phase) =>
      phase === 'open'
        ? logger.error(
            { node, trouble: shared.trouble, policy: env.LIMITER_ON_STORE_FAILURE },
            'the limiter store is away',
          )
        : logger.warn({ node }, 'the limiter store is back'),
  });
  const signals = new LimiterSignals(metrics, logger, () => shared.shardsAway);
  const worker = randomUUID();
  const offenders = new SharedOffenders(shared.client, worker, {
    own: () => signals.topOffenders(nowMs()),
    nowMs,
  });
  offenders.start();
  const replication = new ReplicationMetrics(shared.client, metrics, nowMs);
  replication.start();
  return {
    kind: 'redis',
    store: shared.store,
    definitions: new RedisDefinitionStore(shared.client, worker),
    signals,
    listOffenders: () => offenders.list(),
    take: shared.take,
    describe: () => ({
      up: shared.isConnected && shared.shardsAway === 0,
      ...(shared.trouble === undefined ? {} : { detail: shared.trouble }),
    }),
    connected: (atMostMs) => shared.connected(atMostMs),
    close: () => {
      offenders.stop();
      replication.stop();
      shared.close();
    },
  };
}
