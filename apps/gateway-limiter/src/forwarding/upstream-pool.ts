import { Peer } from './peer.ts';
import type { PoolOptions } from './routes.ts';

/** What an operator is told of a pool. */
export interface PoolEvents {
  peerEjected(pool: string, origin: string): void;
  peerProbed(pool: string, origin: string, isAlive: boolean): void;
}

/** The peers of one pool, taken in turn. */
export class UpstreamPool {
  readonly peers: readonly Peer[];
  private next = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    readonly name: string,
    readonly options: PoolOptions,
    private readonly events: PoolEvents,
  ) {
    this.peers = options.peers.map((origin) => new Peer(origin, options));
  }

  /**
   * The next peer that may serve: alive by the probes and not put aside. When all that are alive are put aside, one of
   * them serves nevertheless, for a guess must not close the service. `undefined`: none is alive.
   */
  pick(now: number, except?: Peer): Peer | undefined {
    const { peers } = this;
    let aside: Peer | undefined;
    let saturated: Peer | undefined;
    for (let step = 0; step < peers.length; step++) {
      const peer = peers[this.next++ % peers.length] as Peer;
      if (!peer.health.isAlive) continue;
      if (peer === except || peer.health.isEjected(now)) aside ??= peer;
      else if (peer.isSaturated) saturated ??= peer;
      else return peer;
    }
    return saturated ?? aside;
  }

  recordSuccess(peer: Peer): void {
    peer.health.recordSuccess();
  }

  recordFailure(peer: Peer, now: number): void {
    const others = this.peers.filter((each) => each !== peer && !each.health.isEjected(now));
    // At least half of the pool stays in: failures all over are not one peer's fault.
    const mayEject = others.length >= Math.ceil(this.peers.length / 2);
    if (peer.health.recordFailure(now, this.options.outlier, mayEject))
      this.events.peerEjected(this.name, peer.origin);
  }

  /** Seconds after which a client may find a peer again. */
  get retryAfterSeconds(): number {
    return Math.ceil((this.options.health?.intervalMs ?? 1_000) / 1_000);
  }

  startProbes(): void {
    const { health } = this.options;
    if (!health || this.timer) return;
    const round = () => void Promise.all(this.peers.map((peer) => this.probe(peer)));
    this.timer = setInterval(round, health.intervalMs);
    this.timer.unref();
    round();
  }

  /** Lets what is in flight finish. */
  close(): void {
    clearInterval(this.timer);
    for (const peer of this.peers) peer.close();
  }

  async destroy(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.peers.map((peer) => peer.destroy()));
  }

  private async probe(peer: Peer): Promise<void> {
    const { health } = this.options;
    if (!health) return;
    const passed = await peer.probe(health.path, health.timeoutMs);
    if (peer.health.recordProbe(passed, health))
      this.events.peerProbed(this.name, peer.origin, passed);
  }
}
