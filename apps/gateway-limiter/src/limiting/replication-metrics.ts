import { Cluster } from 'ioredis';
import { Gauge, type Registry } from 'prom-client';
import type { RedisClient } from './redis-connection.ts';
import { type ReplicaLag, ReplicationLag, readReplicationInfo } from './replication-lag.ts';

const POLL_MS = 1_000;

/** Asks every primary each second how far its replicas are, and shows it. No replica, no series. */
export class ReplicationMetrics {
  private readonly seconds: Gauge<'replica'>;
  private readonly bytes: Gauge<'replica'>;
  private readonly up: Gauge<'replica'>;
  private readonly lags = new Map<string, ReplicationLag>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly client: RedisClient,
    registry: Registry,
    private readonly nowMs: () => number,
  ) {
    const gauge = (name: string, help: string) =>
      new Gauge({
        name,
        help,
        labelNames: ['replica'],
        registers: [registry],
        // Every worker measures the same replicas.
        aggregator: 'max',
      });
    this.seconds = gauge(
      'rate_limit_store_replication_lag_seconds',
      'Age of the oldest write that the replica has not acknowledged: what a failover would forget',
    );
    this.bytes = gauge(
      'rate_limit_store_replication_lag_bytes',
      'Bytes of the replication stream that the replica has not acknowledged',
    );
    this.up = gauge(
      'rate_limit_store_replica_up',
      '1 for a replica that is connected and synchronised',
    );
  }

  start(): void {
    const turn = async () => {
      await this.measure();
      if (this.timer === undefined) return;
      this.timer = setTimeout(() => void turn(), POLL_MS);
      this.timer.unref();
    };
    this.timer = setTimeout(() => void turn(), 0);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  async measure(): Promise<void> {
    const primaries = this.client instanceof Cluster ? this.client.nodes('master') : [this.client];
    const answers = await Promise.all(
      primaries.map(async (primary) => {
        const name = `${primary.options.host}:${primary.options.port}`;
        const info = await primary.info('replication').catch(() => undefined);
        const report = info === undefined ? undefined : readReplicationInfo(info);
        return report ? this.lagOf(name).observe(report, this.nowMs()) : undefined;
      }),
    );
    // A primary that does not answer leaves what was measured last; the breaker tells of it.
    if (!answers.includes(undefined)) this.show(answers.flatMap((lags) => lags ?? []));
  }

  private lagOf(primary: string): ReplicationLag {
    let lag = this.lags.get(primary);
    if (!lag) {
      lag = new ReplicationLag();
      this.lags.set(primary, lag);
    }
    return lag;
  }

  private show(lags: readonly ReplicaLag[]): void {
    for (const gauge of [this.seconds, this.bytes, this.up]) gauge.reset();
    for (const { name, isUp, bytes, seconds } of lags) {
      this.seconds.set({ replica: name }, seconds);
      this.bytes.set({ replica: name }, bytes);
      this.up.set({ replica: name }, isUp ? 1 : 0);
    }
  }
}
