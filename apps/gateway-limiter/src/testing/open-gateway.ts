import type { AddressInfo } from 'node:net';
import { createLogger, TRACING_OFF } from '@gatepost/service-kit';
import type { Exchange } from '../forwarding/exchange.ts';
import type { ForwardOptions } from '../forwarding/forward.plugin.ts';
import { type Routing, routing } from '../forwarding/routes.ts';
import { Tunnels } from '../forwarding/tunnels.plugin.ts';
import { Upstreams } from '../forwarding/upstreams.service.ts';
import { readTrustedProxies } from '../identity/trusted-proxies.ts';
import type { LimitRequest, LimitVerdict, RequestFacts } from '../limiting/limit-verdict.ts';
import { Pipeline } from '../pipeline.plugin.ts';
import { createDoor, type DoorOptions } from '../public-door.ts';

/** The rate fields that the limiter of these specs puts on everything. */
export const RATE_FIELDS = [
  'X-RateLimit-Limit',
  '100',
  'X-RateLimit-Remaining',
  '99',
  'X-RateLimit-Reset',
  '1792500000',
  'RateLimit-Policy',
  '"second";q=50;w=1',
  'RateLimit',
  '"second";r=99;t=1',
];

const CALLER = { kind: 'address', tier: 'anonymous', label: 'caller' } as const;

export const admit: LimitVerdict = {
  kind: 'admit',
  headers: RATE_FIELDS,
  caller: CALLER,
  strip: [],
};

export const refuse: LimitVerdict = {
  kind: 'refuse',
  status: 429,
  headers: [...RATE_FIELDS, 'Retry-After', '7'],
  caller: CALLER,
  problem: { code: 'quota-exceeded', detail: 'Too many requests.' },
};

export interface GatewayUnderTest {
  readonly port: number;
  /** What the limiter was asked. */
  readonly asked: RequestFacts[];
  /** What was observed at the end of each request. */
  readonly observed: Exchange[];
  /** Statuses of the answers to what could not be parsed. */
  readonly unparsed: number[];
  readonly upstreams: Upstreams;
  readonly tunnels: Tunnels;
  readonly pipeline: Pipeline;
  readonly log: () => string;
  startDrain(): void;
  close(): Promise<void>;
}

export interface GatewaySettings {
  /** Origin of the one upstream, or a whole routes file. */
  readonly upstream: string | Record<string, unknown>;
  readonly limit?: LimitRequest;
  readonly door?: Partial<DoorOptions>;
  readonly options?: Partial<ForwardOptions>;
  readonly trustedProxies?: readonly string[];
  readonly tunnelIdleMs?: number;
}

/** The public door on a free port, with everything behind it real but the limiter, which is a function. */
export async function openGateway(settings: GatewaySettings): Promise<GatewayUnderTest> {
  const lines: string[] = [];
  const logger = createLogger({
    name: 'gateway-limiter',
    level: 'warn',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const asked: RequestFacts[] = [];
  const observed: Exchange[] = [];
  const unparsed: number[] = [];
  const upstreams = new Upstreams(routingOf(settings.upstream), {
    peerEjected: () => undefined,
    peerProbed: () => undefined,
  });
  const tunnels = new Tunnels(settings.tunnelIdleMs ?? 60_000);
  const limit = settings.limit ?? (async () => admit);
  let isDraining = false;
  const pipeline = new Pipeline({
    limit: (facts) => {
      asked.push(facts);
      return limit(facts);
    },
    trustedProxies: readTrustedProxies(settings.trustedProxies ?? []),
    upstreams,
    tunnels,
    observe: (exchange) => void observed.push(exchange),
    observeUnparsed: (status) => void unparsed.push(status),
    tracing: TRACING_OFF,
    isDraining: () => isDraining,
    logger,
    options: { maxBodyBytes: 1024 * 1024, bodyIdleMs: 30_000, ...settings.options },
  });
  const server = createDoor({
    maxHeaderBytes: 16 * 1024,
    headerTimeoutMs: 10_000,
    requestTimeoutMs: 60_000,
    keepAliveMs: 5_000,
    tls: undefined,
    ...settings.door,
  });
  pipeline.attach(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    observed,
    unparsed,
    upstreams,
    tunnels,
    pipeline,
    log: () => lines.join(''),
    startDrain() {
      isDraining = true;
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      tunnels.closeAll(0);
      await closed;
      await upstreams.close();
    },
  };
}

function routingOf(upstream: string | Record<string, unknown>): Routing {
  if (typeof upstream !== 'string') return routing.parse(upstream);
  return routing.parse({
    pools: { only: { peers: [upstream] } },
    routes: [{ name: 'only', pool: 'only' }],
  });
}
