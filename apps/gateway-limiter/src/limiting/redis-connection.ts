import { readFileSync } from 'node:fs';
import type { ConnectionOptions as TlsOptions } from 'node:tls';
import { Cluster, Redis, type RedisOptions } from 'ioredis';

export type RedisClient = Redis | Cluster;

/** Where a Redis is, as one URL says it. */
export type RedisAddress =
  | { readonly kind: 'single'; readonly options: RedisOptions }
  | { readonly kind: 'sentinel'; readonly options: RedisOptions }
  | {
      readonly kind: 'cluster';
      readonly nodes: { host: string; port: number }[];
      readonly options: RedisOptions;
    };

export class RedisAddressRefused extends Error {
  constructor(fault: string) {
    super(fault);
    this.name = 'RedisAddressRefused';
  }
}

const FORM =
  /^(rediss?)(?:\+(sentinel|cluster))?:\/\/(?:([^@/?]*)@)?([^/?]+)((?:\/[^/?]*)*)(?:\?(.*))?$/;

/**
 * `redis://[user:password@]host[:port][/db]`
 * `redis+sentinel://[user:password@]host[:port],host[:port]/name[/db][?sentinelUsername=&sentinelPassword=]`
 * `redis+cluster://[user:password@]host[:port],host[:port]`
 *
 * `rediss` for TLS; `?ca=`, `?cert=`, `?key=` name PEM files, `?servername=` the name in the certificate;
 * `?protocol=2` for servers and proxies without RESP3. User and password are percent-encoded.
 */
export function readRedisAddress(url: string): RedisAddress {
  const match = FORM.exec(url);
  if (!match) throw new RedisAddressRefused('is not a redis:// or rediss:// address');
  const [, scheme, kind, login, hosts = '', path = '', query = ''] = match;
  const parameters = new URLSearchParams(query);
  const nodes = hosts
    .split(',')
    .map((host) => readHost(host, kind === 'sentinel' ? 26_379 : 6_379));
  const segments = path
    .split('/')
    .slice(1)
    .filter((segment) => segment !== '');
  const tls = scheme === 'rediss' ? readTls(parameters) : undefined;
  const options: RedisOptions = {
    ...readLogin(login),
    ...(tls ? { tls } : {}),
    ...(parameters.get('protocol') === '2' ? { protocol: 2 } : {}),
  };
  if (kind === 'cluster') {
    if (segments.length > 0) throw new RedisAddressRefused('a cluster has no databases to choose');
    return { kind, nodes, options };
  }
  if (kind === 'sentinel') {
    const [name, db] = segments;
    if (!name) throw new RedisAddressRefused('needs the name of the primary: …/name');
    return {
      kind,
      options: {
        ...options,
        ...readDb(db),
        sentinels: nodes,
        name,
        ...(tls ? { enableTLSForSentinelMode: true, sentinelTLS: tls } : {}),
        ...given('sentinelUsername', parameters.get('sentinelUsername')),
        ...given('sentinelPassword', parameters.get('sentinelPassword')),
      },
    };
  }
  if (nodes.length > 1)
    throw new RedisAddressRefused('several hosts need redis+sentinel:// or redis+cluster://');
  return { kind: 'single', options: { ...options, ...readDb(segments[0]), ...nodes[0] } };
}

/**
 * The settings that keep an outage from being felt: nothing queues while the store is away, nothing is sent twice,
 * and a server that comes back is found within a quarter of a second. What a reply may take is the caller's timer.
 */
const OUTAGE_SETTINGS = {
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  connectTimeout: 500,
  socketTimeout: 1_000,
  // A primary that became a replica refuses writes: find the new one.
  reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
} satisfies RedisOptions;

/** Opens a connection; it connects by itself, now and whenever it was lost. */
export function openRedis(address: RedisAddress, overrides: RedisOptions = {}): RedisClient {
  const replyMapping = 'legacy' as const;
  const retrySoon = (attempt: number) => Math.min(25 * attempt, 150);
  if (address.kind !== 'cluster')
    return new Redis({
      ...OUTAGE_SETTINGS,
      retryStrategy: retrySoon,
      sentinelRetryStrategy: retrySoon,
      // A primary that was replaced by hand lives on and would be written to until it is told.
      failoverDetector: address.kind === 'sentinel',
      ...address.options,
      ...overrides,
      replyMapping,
    });
  return new Cluster(address.nodes, {
    enableOfflineQueue: false,
    clusterRetryStrategy: retrySoon,
    clusterNodeRetryStrategy: retrySoon,
    maxRedirections: 4,
    retryDelayOnFailover: 50,
    retryDelayOnClusterDown: 50,
    slotsRefreshTimeout: 500,
    slotsRefreshInterval: 5_000,
    redisOptions: { ...OUTAGE_SETTINGS, ...address.options, ...overrides, replyMapping },
  });
}

function readHost(text: string, defaultPort: number): { host: string; port: number } {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text.trim());
  if (!match) throw new RedisAddressRefused(`"${text}" is not a host`);
  return {
    host: (match[1] ?? match[2]) as string,
    port: match[3] ? Number(match[3]) : defaultPort,
  };
}

function readLogin(login: string | undefined): RedisOptions {
  if (!login) return {};
  const colon = login.indexOf(':');
  const username = decodeURIComponent(colon < 0 ? login : login.slice(0, colon));
  const password = colon < 0 ? '' : decodeURIComponent(login.slice(colon + 1));
  return { ...(username ? { username } : {}), ...(password ? { password } : {}) };
}

function readDb(segment: string | undefined): RedisOptions {
  if (segment === undefined) return {};
  if (!/^\d{1,4}$/.test(segment)) throw new RedisAddressRefused(`"${segment}" is not a database`);
  return { db: Number(segment) };
}

function readTls(parameters: URLSearchParams): TlsOptions {
  const pem = (name: string) => {
    const path = parameters.get(name);
    return path ? { [name]: readFileSync(path) } : {};
  };
  return {
    ...pem('ca'),
    ...pem('cert'),
    ...pem('key'),
    ...given('servername', parameters.get('servername')),
  };
}

function given<Name extends string>(name: Name, value: string | null): { [N in Name]?: string } {
  return (value ? { [name]: value } : {}) as { [N in Name]?: string };
}
