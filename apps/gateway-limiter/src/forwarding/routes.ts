import { z } from 'zod';
import { parseDefinition } from '../definition-file.ts';
import { readHost } from './host.ts';

const name = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be a short lower-case name, for it becomes a label');

const origin = z.string().refine((text) => {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  return url.pathname === '/' && !url.search && !url.hash && !url.username && !url.password;
}, 'must be http(s)://host[:port] and nothing more');

const milliseconds = (bounds: { min: number; max: number; initially: number }) =>
  z.int().min(bounds.min).max(bounds.max).default(bounds.initially);

const healthCheck = z.strictObject({
  /** Asked on each peer; any status below 400 is healthy. */
  path: z.string().startsWith('/'),
  intervalMs: milliseconds({ min: 100, max: 300_000, initially: 2_000 }),
  timeoutMs: milliseconds({ min: 50, max: 60_000, initially: 1_000 }),
  unhealthyAfter: z.int().min(1).max(10).default(2),
  healthyAfter: z.int().min(1).max(10).default(1),
});

const outlier = z.strictObject({
  /** Failures in a row (no connection, reset, time limit, 502, 503, 504) that put a peer aside. */
  failures: z.int().min(1).max(1000).default(5),
  ejectionMs: milliseconds({ min: 100, max: 300_000, initially: 5_000 }),
  maxEjectionMs: milliseconds({ min: 100, max: 3_600_000, initially: 60_000 }),
});

const pool = z.strictObject({
  peers: z.array(origin).min(1),
  /** Connections to each peer; more requests wait. */
  connections: z.int().min(1).max(65_535).default(1_024),
  /** Requests that may wait for a connection to a peer; the next one gets 503. */
  waiting: z.int().min(0).max(1_000_000).default(1_024),
  connectTimeoutMs: milliseconds({ min: 10, max: 60_000, initially: 1_000 }),
  /** From the sent request to the head of the answer. */
  headTimeoutMs: milliseconds({ min: 10, max: 3_600_000, initially: 30_000 }),
  /** Between two pieces of an answer's body; 0 = none, as event streams need it. */
  bodyIdleMs: milliseconds({ min: 0, max: 3_600_000, initially: 0 }),
  health: healthCheck.optional(),
  outlier: outlier.prefault({}),
});

const route = z.strictObject({
  name,
  /** Exact names or `*.example.com`; absent = any host. */
  hosts: z
    .array(
      z
        .string()
        .refine((text) => readHost(text.replace(/^\*\./, '')) !== undefined, 'is not a host'),
    )
    .min(1)
    .optional(),
  /** Path prefixes, matched on whole segments. */
  paths: z
    .array(
      z
        .string()
        .regex(/^\/$|^(?:\/[^/?#%\\\s]+)+$/, 'must start with "/", not end with it, hold no "%"'),
    )
    .min(1)
    .default(['/']),
  pool: name,
  /** Longest request body; 0 = no limit. */
  maxBodyBytes: z.int().min(0).optional(),
});

/** The routes file. Unknown members are faults: a misspelt option must not turn into a default. */
export const routing = z
  .strictObject({ pools: z.record(name, pool), routes: z.array(route).min(1) })
  .check((context) => {
    const { pools, routes } = context.value;
    const names = new Set<string>();
    const places = new Map<string, string>();
    const fault = (path: (string | number)[], message: string) =>
      context.issues.push({ code: 'custom', input: context.value, path, message });
    routes.forEach((each, index) => {
      if (!(each.pool in pools))
        fault(['routes', index, 'pool'], `there is no pool "${each.pool}"`);
      if (names.has(each.name)) fault(['routes', index, 'name'], `"${each.name}" is used twice`);
      names.add(each.name);
      for (const place of placesOf(each)) {
        const other = places.get(place);
        if (other !== undefined)
          fault(['routes', index], `claims ${place}, which route "${other}" has already`);
        places.set(place, each.name);
      }
    });
  });

export type Routing = z.output<typeof routing>;
export type Route = Routing['routes'][number];
export type PoolOptions = Routing['pools'][string];

/** Reads routes from YAML or JSON; throws DefinitionRefused with all faults. */
export function parseRouting(file: string, text: string): Routing {
  return parseDefinition(file, text, routing);
}

/** The routing of a platform without a routes file. */
export function defaultRouting(upstreams: {
  authServer: readonly string[];
  shortener: readonly string[];
}): Routing {
  return routing.parse({
    pools: {
      'auth-server': { peers: upstreams.authServer },
      shortener: { peers: upstreams.shortener },
    },
    routes: [
      {
        name: 'auth',
        paths: [
          '/auth',
          '/.well-known/oauth-authorization-server/auth',
          '/.well-known/openid-configuration/auth',
        ],
        pool: 'auth-server',
      },
      { name: 'links', paths: ['/'], pool: 'shortener' },
    ],
  });
}

export type RouteMatch =
  | { readonly route: Route }
  /** `path`: the host is served, but nothing is there; `host`: no route knows this host. */
  | { readonly missing: 'path' | 'host' };

interface Rule {
  readonly route: Route;
  readonly host: string | undefined;
  readonly prefix: string;
  readonly match: RouteMatch;
}

/** Finds the route of a request: exact host before wildcard before any, then the longest prefix. */
export class RouteTable {
  private readonly rules: readonly Rule[];

  constructor(readonly routes: readonly Route[]) {
    this.rules = routes
      .flatMap((each) => {
        const match = { route: each };
        return (each.hosts ?? [undefined]).flatMap((host) =>
          each.paths.map((prefix) => ({ route: each, host: host?.toLowerCase(), prefix, match })),
        );
      })
      .sort((a, b) => rankOf(b) - rankOf(a));
  }

  find(host: string, path: string): RouteMatch {
    let isHostServed = false;
    for (const rule of this.rules) {
      if (!holdsHost(rule.host, host)) continue;
      if (holdsPath(rule.prefix, path)) return rule.match;
      isHostServed = true;
    }
    return isHostServed ? NO_PATH : NO_HOST;
  }
}

const NO_PATH: RouteMatch = { missing: 'path' };
const NO_HOST: RouteMatch = { missing: 'host' };

function rankOf({ host, prefix }: Rule): number {
  if (host === undefined) return prefix.length;
  return prefix.length + (host.startsWith('*.') ? 10_000 + host.length : 1_000_000);
}

function holdsHost(rule: string | undefined, host: string): boolean {
  if (rule === undefined || rule === host) return true;
  return rule.startsWith('*.') && host.length >= rule.length && host.endsWith(rule.slice(1));
}

/** Whole segments only: `/auth` holds `/auth` and `/auth/token`, not `/authABC`, which is a short code. */
function holdsPath(prefix: string, path: string): boolean {
  if (prefix === '/') return true;
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/');
}

function placesOf({ hosts, paths }: { hosts?: string[] | undefined; paths: string[] }): string[] {
  return (hosts ?? ['']).flatMap((host) => paths.map((path) => `${host.toLowerCase()}${path}`));
}
