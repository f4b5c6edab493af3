import {
  defineEnvironment,
  type EnvironmentFault,
  httpAddress,
  list,
  serviceEnvironment,
  serviceRefusals,
  variable,
  whole,
} from '@gatepost/service-kit';
import { z } from 'zod';
import { NetworkRefused } from './identity/networks.ts';
import { readTrustedProxies } from './identity/trusted-proxies.ts';
import { limiterEnvironment, limiterRefusals } from './limiting/limiter-environment.ts';

const upstreams = (address: string) =>
  list([address]).refine(
    (items) => items.length > 0 && items.every((item) => /^https?:\/\/[^/?#]+$/.test(item)),
    'must be http(s)://host[:port], or several separated by commas',
  );

const shape = {
  ...serviceEnvironment({ port: 8080, managementPort: 9080 }),
  ...limiterEnvironment(),
  AUTH_INTERNAL_URL: variable(
    httpAddress().optional(),
    'Where keys and status lists are fetched, path included; absent: `/auth` at the first of `AUTH_UPSTREAM`',
  ),
  API_AUDIENCE: variable(
    httpAddress().optional(),
    '`aud` that access tokens must name; absent: `PUBLIC_URL`',
  ),
  AUTH_UPSTREAM: variable(
    upstreams('http://127.0.0.1:8081'),
    'Where auth-server is, without a routes file; a comma list is a pool',
  ),
  SHORTENER_UPSTREAM: variable(
    upstreams('http://127.0.0.1:8082'),
    'Where the shortener is, without a routes file; a comma list is a pool',
  ),
  ROUTES_FILE: variable(
    z.string().optional(),
    'Routes and pools as YAML or JSON, re-read when it changes; absent: the two upstreams',
  ),
  TRUSTED_PROXIES: variable(
    list(),
    'Addresses and CIDR blocks of balancers in front, whose `X-Forwarded-*` and `X-Request-Id` are believed',
  ),
  WORKERS: variable(
    whole({ min: 1, max: 256, initially: 1 }),
    'Processes that share the port; SIGHUP replaces them one by one',
  ),
  MAX_BODY_BYTES: variable(
    whole({ min: 0, max: Number.MAX_SAFE_INTEGER, initially: 16 * 1024 * 1024 }),
    'Longest request body where a route says nothing; 0 = no limit',
  ),
  MAX_HEADER_BYTES: variable(
    whole({ min: 4 * 1024, max: 256 * 1024, initially: 16 * 1024 }),
    'Longest head of a request; more is 431',
  ),
  HEADER_TIMEOUT_MS: variable(
    whole({ min: 500, max: 120_000, initially: 10_000 }),
    'Time for the whole head of a request; then 408 and the connection closes',
  ),
  REQUEST_TIMEOUT_MS: variable(
    whole({ min: 0, max: 3_600_000, initially: 300_000 }),
    'Time for a whole request, body included; 0 = no limit',
  ),
  BODY_IDLE_MS: variable(
    whole({ min: 100, max: 600_000, initially: 30_000 }),
    'Longest pause in a request body',
  ),
  KEEP_ALIVE_MS: variable(
    whole({ min: 1_000, max: 3_600_000, initially: 72_000 }),
    'How long an idle client connection is kept; longer than a balancer in front keeps its own',
  ),
  TUNNEL_IDLE_MS: variable(
    whole({ min: 1_000, max: 86_400_000, initially: 300_000 }),
    'Silence in both directions that ends a WebSocket',
  ),
  ACCESS_LOG_PER_SECOND: variable(
    whole({ min: 0, max: 100_000, initially: 100 }),
    'Most requests logged each second; failures of the gateway’s own have as many lines besides',
  ),
  TLS_CERT: variable(
    z.string().optional(),
    'Certificate chain (PEM) for TLS at the public door; absent: plain HTTP',
  ),
  TLS_KEY: variable(z.string().optional(), 'Private key (PEM) of the certificate', {
    secret: true,
  }),
};

export type GatewayEnv = z.output<z.ZodObject<typeof shape>>;

export const environment = defineEnvironment(shape, (env): EnvironmentFault[] => [
  ...serviceRefusals(env),
  ...limiterRefusals(env),
  ...trustFaults(env),
  ...tlsFaults(env),
  ...timeFaults(env),
]);

/** What makes an access token one of ours: it then says whose request it is. */
export function tokenExpectations(env: GatewayEnv) {
  return {
    issuer: `${env.PUBLIC_URL}/auth`,
    audience: env.API_AUDIENCE ?? env.PUBLIC_URL,
    internalUrl: env.AUTH_INTERNAL_URL ?? `${env.AUTH_UPSTREAM[0]}/auth`,
    // Our issuer gives every token a status; one without could not be revoked before it expires.
    requireStatus: env.GATEPOST_ENV === 'production',
  };
}

function trustFaults({ TRUSTED_PROXIES }: GatewayEnv): EnvironmentFault[] {
  try {
    readTrustedProxies(TRUSTED_PROXIES);
    return [];
  } catch (error) {
    if (!(error instanceof NetworkRefused)) throw error;
    return [{ variable: 'TRUSTED_PROXIES', fault: error.message }];
  }
}

function timeFaults({ HEADER_TIMEOUT_MS, REQUEST_TIMEOUT_MS }: GatewayEnv): EnvironmentFault[] {
  if (REQUEST_TIMEOUT_MS === 0 || REQUEST_TIMEOUT_MS >= HEADER_TIMEOUT_MS) return [];
  const fault = 'must not be shorter than HEADER_TIMEOUT_MS: the head is a part of the request';
  return [{ variable: 'REQUEST_TIMEOUT_MS', fault }];
}

function tlsFaults({ TLS_CERT, TLS_KEY }: GatewayEnv): EnvironmentFault[] {
  if ((TLS_CERT === undefined) === (TLS_KEY === undefined)) return [];
  const variable = TLS_CERT === undefined ? 'TLS_CERT' : 'TLS_KEY';
  return [{ variable, fault: 'is missing: TLS needs the certificate and its key' }];
}
