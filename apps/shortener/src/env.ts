import {
  defineEnvironment,
  type EnvironmentFault,
  flag,
  httpAddress,
  list,
  serviceEnvironment,
  serviceRefusals,
  variable,
  whole,
} from '@gatepost/service-kit';
import { z } from 'zod';
import { clicksEnvironment } from './clicks/clicks-environment.ts';

const shape = {
  ...serviceEnvironment({ port: 8082, managementPort: 9082 }),
  DATABASE_URL: variable(
    z.string().optional(),
    'PostgreSQL; absent in development: the embedded one',
    { secret: true },
  ),
  DATABASE_POOL: variable(
    whole({ min: 2, max: 200, initially: 10 }),
    'Connections for creates and the owner’s API',
  ),
  REDIS_URL: variable(
    z.string().optional(),
    'Redis or Valkey, the cache that the nodes share; absent: the in-process cache alone',
    { secret: true },
  ),
  REDIS_PREFIX: variable(
    z.string().default('shortener:'),
    'Begins every key and channel, where several installations share a Redis',
  ),
  KAFKA_BROKERS: variable(
    list(),
    'Kafka for click events, comma-separated; absent: clicks are counted in process',
  ),
  DATA_DIR: variable(z.string().default('.data'), 'Folder of the embedded PostgreSQL'),
  AUTH_ISSUER: variable(
    httpAddress().optional(),
    'Issuer of access tokens; absent: `PUBLIC_URL` + `/auth`',
  ),
  AUTH_INTERNAL_URL: variable(
    httpAddress().optional(),
    'Where keys and status lists are fetched, past the gateway; absent: the issuer',
  ),
  API_AUDIENCE: variable(
    httpAddress().optional(),
    '`aud` that access tokens must name; absent: `PUBLIC_URL`',
  ),
  INTROSPECTION_CLIENT_ID: variable(
    z.string().optional(),
    'Client that may introspect tokens for the API: asked when a status list cannot be fetched; absent: 503 then',
  ),
  INTROSPECTION_CLIENT_SECRET: variable(z.string().optional(), 'Its secret', { secret: true }),
  ANONYMOUS_CREATE: variable(flag(true), 'Whether a link may be created without a token'),
  TRUSTED_PROXIES: variable(
    list(['127.0.0.1', '::1']),
    'Addresses and CIDR blocks of the gateway, whose `X-Forwarded-For` is believed',
  ),
  ALLOW_PRIVATE_DESTINATIONS: variable(
    flag(false),
    'Lifts the address rules for destinations: private, loopback and local names',
  ),
  CODE_LENGTH: variable(
    whole({ min: 6, max: 8, initially: 7 }),
    'Length of generated codes; 8 from a billion links on',
  ),
  LINK_CACHE_ENTRIES: variable(
    whole({ min: 100, max: 10_000_000, initially: 100_000 }),
    'Links held in process, about 0.5 KB each',
  ),
  LINK_CACHE_TTL_SECONDS: variable(
    whole({ min: 1, max: 60, initially: 15 }),
    'How long a link is held in process beside Redis; bounds what a lost invalidation can do',
  ),
  BLOCKLIST_FILES: variable(
    list(),
    'Files of blocked domains, suffixes and URL hashes, comma-separated; re-read when they change',
  ),
  REPUTATION_HASHES_FILE: variable(
    z.string().optional(),
    'File of SHA-256 prefixes of bad addresses',
  ),
  REPUTATION_HOOK_URL: variable(
    httpAddress().optional(),
    'Asked about each destination of a scan: POST `{ url }`, answer `{ malicious, reason }`',
  ),
  REPUTATION_HOOK_TOKEN: variable(z.string().optional(), 'Bearer token for the reputation hook', {
    secret: true,
  }),
  REPUTATION_HOOK_TIMEOUT_MS: variable(
    whole({ min: 100, max: 10_000, initially: 2_000 }),
    'Time limit of the reputation hook, ms',
  ),
  SCAN_DESTINATIONS: variable(
    flag(true),
    'Whether the destination is scanned at the first redirect of a link',
  ),
  ...clicksEnvironment(),
};

export type ShortenerEnv = z.output<z.ZodObject<typeof shape>>;

export const environment = defineEnvironment(shape, (env): EnvironmentFault[] => [
  ...serviceRefusals(env),
  ...trustFaults(env),
  ...introspectionFaults(env),
  ...(env.GATEPOST_ENV === 'production' ? productionFaults(env) : []),
]);

/** A number would silently trust nobody, and every client behind the gateway would look like one (Fastify 5.12.1). */
function trustFaults({ TRUSTED_PROXIES }: ShortenerEnv): EnvironmentFault[] {
  return TRUSTED_PROXIES.filter(
    (item) => !/^[0-9a-f.:]+(\/\d{1,3})?$/i.test(item) || /^\d+$/.test(item),
  ).map((item) => ({
    variable: 'TRUSTED_PROXIES',
    fault: `must hold addresses and CIDR blocks, not "${item}"`,
  }));
}

function productionFaults(env: ShortenerEnv): EnvironmentFault[] {
  const faults: EnvironmentFault[] = [];
  const needed = (variable: string, why: string) =>
    faults.push({ variable, fault: `is required in production: ${why}` });
  if (!env.DATABASE_URL) needed('DATABASE_URL', 'the embedded database is for development');
  if (!env.REDIS_URL) needed('REDIS_URL', 'nodes would not hear of each other’s edits');
  if (env.KAFKA_BROKERS.length === 0)
    needed('KAFKA_BROKERS', 'clicks counted in process are lost with it');
  if (env.ALLOW_PRIVATE_DESTINATIONS)
    faults.push({
      variable: 'ALLOW_PRIVATE_DESTINATIONS',
      fault: 'is refused in production: links could point into the cluster',
    });
  return faults;
}

/** What derives from the public address unless it is set. */
export function tokenExpectations(env: ShortenerEnv) {
  const issuer = env.AUTH_ISSUER ?? `${env.PUBLIC_URL}/auth`;
  return {
    issuer,
    audience: env.API_AUDIENCE ?? env.PUBLIC_URL,
    internalUrl: env.AUTH_INTERNAL_URL ?? issuer,
    // Our issuer gives every token a status; one without could not be revoked before it expires.
    requireStatus: env.GATEPOST_ENV === 'production',
    introspection: introspectionOf(env),
  };
}

function introspectionOf({
  INTROSPECTION_CLIENT_ID: clientId,
  INTROSPECTION_CLIENT_SECRET: clientSecret,
}: ShortenerEnv) {
  return clientId && clientSecret ? { clientId, clientSecret } : undefined;
}

function introspectionFaults(env: ShortenerEnv): EnvironmentFault[] {
  const isWhole = Boolean(env.INTROSPECTION_CLIENT_ID) === Boolean(env.INTROSPECTION_CLIENT_SECRET);
  if (isWhole) return [];
  const fault = 'needs INTROSPECTION_CLIENT_SECRET, and that needs it';
  return [{ variable: 'INTROSPECTION_CLIENT_ID', fault }];
}
