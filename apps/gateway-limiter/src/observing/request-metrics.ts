import { STATUS_CODES } from 'node:http';
import type { Registry } from '@gatepost/service-kit';
import { Counter, Gauge } from 'prom-client';
import type { Exchange } from '../forwarding/exchange.ts';
import type { Peer } from '../forwarding/peer.ts';
import type { UpstreamPool } from '../forwarding/upstream-pool.ts';
import { statusOf } from './access-log.ts';
import { DurationHistogram } from './duration-histogram.ts';

/** The methods that may be a label; a client may send any of forty others. */
const METHODS: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
]);

export interface GaugeSources {
  readonly inFlight: () => number;
  readonly tunnels: () => number;
  readonly pools: () => Iterable<UpstreamPool>;
}

/** Rate, errors and duration of each route, and the state of the upstreams. Labels: route, method, status, pool, peer. */
export class RequestMetrics {
  private readonly counts = new Map<string, Map<string, number[]>>();
  private readonly durations = new DurationHistogram(
    'gateway_request_duration_seconds',
    'Time from the head of a request to the end of its answer; upgrades until the 101',
    'route',
  );
  private readonly failures: Counter<'route' | 'reason'>;
  private readonly retries: Counter<'route'>;
  private readonly ejections: Counter<'pool' | 'peer'>;

  constructor(metrics: Registry, sources: GaugeSources) {
    const registers = [metrics];
    metrics.registerMetric(this.durations.asMetric());
    const { counts } = this;
    new Counter({
      name: 'gateway_requests_total',
      help: 'Requests answered, by route, method and status (499: the client left first)',
      labelNames: ['route', 'method', 'status'],
      registers,
      collect() {
        this.reset();
        for (const [route, methods] of counts)
          for (const [method, statuses] of methods)
            statuses.forEach((count, status) => {
              this.inc({ route, method, status: String(status) }, count);
            });
      },
    });
    this.failures = new Counter({
      name: 'gateway_failures_total',
      help: 'Requests that did not get an upstream answer, by reason',
      labelNames: ['route', 'reason'],
      registers,
    });
    this.retries = new Counter({
      name: 'gateway_upstream_retries_total',
      help: 'Second attempts',
      labelNames: ['route'],
      registers,
    });
    this.ejections = new Counter({
      name: 'gateway_upstream_ejections_total',
      help: 'Times a peer was put aside after failures in a row',
      labelNames: ['pool', 'peer'],
      registers,
    });
    registerGauges(registers, sources);
  }

  observe(exchange: Exchange, now: number): void {
    const { method = '' } = exchange.request;
    this.count(exchange.route, METHODS.has(method) ? method : 'other', statusOf(exchange));
    this.durations.observe(exchange.route, (now - exchange.startedAt) / 1_000);
    if (exchange.failure !== undefined)
      this.failures.inc({ route: exchange.route, reason: exchange.failure });
    if (exchange.retries > 0) this.retries.inc({ route: exchange.route }, exchange.retries);
  }

  /** A request that could not be parsed has no route and no method. */
  observeUnparsed(status: number): void {
    this.count('none', 'other', status);
  }

  peerEjected(pool: string, peer: string): void {
    this.ejections.inc({ pool, peer });
  }

  private count(route: string, method: string, status: number): void {
    let methods = this.counts.get(route);
    if (!methods) {
      methods = new Map();
      this.counts.set(route, methods);
    }
    let statuses = methods.get(method);
    if (!statuses) {
      statuses = [];
      methods.set(method, statuses);
    }
    const label = labelOf(status);
    statuses[label] = (statuses[label] ?? 0) + 1;
  }
}

/** Upstreams may send any number from 200 to 999: unknown ones count as the first of their class. */
function labelOf(status: number): number {
  if (status === 499 || STATUS_CODES[status] !== undefined) return status;
  return Math.floor(status / 100) * 100;
}

function registerGauges(registers: Registry[], sources: GaugeSources): void {
  new Gauge({
    name: 'gateway_requests_in_flight',
    help: 'Requests at the door and not yet answered in full',
    registers,
    collect() {
      this.set(sources.inFlight());
    },
  });
  new Gauge({
    name: 'gateway_tunnels_open',
    help: 'Upgraded connections',
    registers,
    collect() {
      this.set(sources.tunnels());
    },
  });
  const perPeer = (name: string, help: string, read: (peer: Peer) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['pool', 'peer'],
      registers,
      collect() {
        this.reset();
        for (const pool of sources.pools())
          pool.peers.forEach((peer) => {
            this.set({ pool: pool.name, peer: peer.origin }, read(peer));
          });
      },
    });
  perPeer(
    'gateway_upstream_connections',
    'Open connections of the pool to the peer',
    (peer) => peer.openConnections,
  );
  perPeer(
    'gateway_upstream_in_flight',
    'Requests handed to the peer and not finished, waiting ones included',
    (peer) => peer.inFlight,
  );
  perPeer(
    'gateway_upstream_peer_up',
    '1: takes requests; 0: its probes fail or it is put aside',
    ({ health }) => (health.isAlive && !health.isEjected(performance.now()) ? 1 : 0),
  );
}
