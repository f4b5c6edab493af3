import {
  defineEnvironment,
  type EnvironmentFault,
  flag,
  list,
  serviceEnvironment,
  serviceRefusals,
  variable,
  whole,
} from '@gatepost/service-kit';
import { z } from 'zod';

/** Keys of development, so that a first start needs no settings. Production refuses them. */
const DEVELOPMENT_ENCRYPTION_KEY = Buffer.alloc(32, 'gatepost development only ').toString(
  'base64',
);
const DEVELOPMENT_COOKIE_KEY = 'gatepost-development-cookie-key';

const seconds = (initially: number, max = 366 * 86_400) => whole({ min: 1, max, initially });

/** Base64 or base64url of exactly 32 bytes. */
const encryptionKeys = z
  .string()
  .default(DEVELOPMENT_ENCRYPTION_KEY)
  .transform((text) => text.split(',').map((item) => Buffer.from(item.trim(), 'base64')))
  .refine(
    (keys) => keys.every((key) => key.length === 32),
    'every key must be 32 bytes in base64, separated by commas',
  );

const cookieKeys = z
  .string()
  .default(DEVELOPMENT_COOKIE_KEY)
  .transform((text) => text.split(',').map((item) => item.trim()))
  .refine((keys) => keys.every((key) => key.length >= 24), 'every key must have 24 characters');

const shape = {
  ...serviceEnvironment({ port: 8081, managementPort: 9081 }),
  DATABASE_URL: variable(
    z
      .string()
      .regex(/^postgres(ql)?:\/\//, 'must be a postgres URL')
      .optional(),
    'PostgreSQL. Absent: the embedded server of development',
    { secret: true },
  ),
  DATABASE_POOL: variable(
    whole({ min: 1, max: 200, initially: 10 }),
    'Connections each process may hold',
  ),
  DATA_DIR: variable(z.string().default('.data'), 'Folder of the embedded PostgreSQL'),
  MIGRATE_ON_START: variable(
    flag(true),
    'Applies the migrations at start; `false` where a job does it first',
  ),
  API_AUDIENCE: variable(
    z.string().url().optional(),
    'Resource identifier of the API, the `aud` of its access tokens. Absent: PUBLIC_URL',
  ),
  TRUSTED_PROXIES: variable(
    list(['127.0.0.1', '::1']),
    'Peers (addresses, CIDR blocks) whose X-Forwarded-For is believed',
  ),
  ENCRYPTION_KEYS: variable(
    encryptionKeys,
    'AES-256 keys for what is encrypted at rest, 32 bytes in base64 each; the first encrypts, all decrypt',
    { secret: true },
  ),
  COOKIE_KEYS: variable(cookieKeys, 'Keys that sign cookies; the first signs, all verify', {
    secret: true,
  }),
  AUTH_STRICT: variable(
    flag(true),
    '`false` relaxes PKCE, `state` and `nonce` for certification runs only',
  ),
  REGISTRATION: variable(
    z.enum(['open', 'closed']).default('open'),
    'Whether people may create accounts by themselves; `closed` leaves it to operators',
  ),
  PASSWORD_HASHES_AT_ONCE: variable(
    whole({ min: 1, max: 128, initially: 3 }),
    'Passwords hashed at the same time, 19 MiB and a thread each; more than 3 wants a larger UV_THREADPOOL_SIZE',
  ),
  PASSWORD_QUEUE: variable(
    whole({ min: 0, max: 10_000, initially: 128 }),
    'Sign-ins that may wait for a hash; beyond it they are told to come back',
  ),
  DYNAMIC_REGISTRATION: variable(
    flag(false),
    'Dynamic client registration (RFC 7591) for holders of an initial access token',
  ),
  BACKCHANNEL_HOSTS: variable(
    list(),
    'Hosts (`name` or `name:port`) inside the cluster that logout notices and JWKS may be fetched from although their address is private',
  ),
  CODE_TTL_S: variable(seconds(60, 600), 'Lifetime of an authorization code'),
  ACCESS_TOKEN_TTL_S: variable(seconds(300, 3600), 'Lifetime of an access token'),
  ID_TOKEN_TTL_S: variable(seconds(3600, 86_400), 'Lifetime of an id_token'),
  REFRESH_IDLE_TTL_S: variable(seconds(14 * 86_400), 'A refresh token unused for this long ends'),
  REFRESH_ABSOLUTE_TTL_S: variable(
    seconds(30 * 86_400),
    'A family of refresh tokens ends this long after the sign-in',
  ),
  REFRESH_GRACE_S: variable(
    whole({ min: 0, max: 60, initially: 0 }),
    'Within it a rotated refresh token that is sent again returns the same successor. 0: reuse ends the family at once',
  ),
  SESSION_TTL_S: variable(seconds(14 * 86_400), 'Lifetime of a session after its last use'),
  DEVICE_CODE_TTL_S: variable(seconds(600, 1800), 'Lifetime of a device code'),
  KEY_ROTATION_S: variable(
    whole({ min: 0, max: 3650 * 86_400, initially: 30 * 86_400 }),
    'Age at which a signing key is replaced. 0: only by command',
  ),
  WATCH_INTERVAL_MS: variable(
    whole({ min: 50, max: 10_000, initially: 500 }),
    'How often a process asks the database for changed clients and keys',
  ),
  PURGE_INTERVAL_S: variable(
    whole({ min: 0, max: 86_400, initially: 300 }),
    'How often expired rows are deleted. 0: only by the `purge` command',
  ),
};

export type AuthEnv = z.output<z.ZodObject<typeof shape>>;

export const environment = defineEnvironment(shape, (env) => [
  ...serviceRefusals(env),
  ...orderFaults(env),
  ...productionFaults(env),
]);

function orderFaults(env: AuthEnv): EnvironmentFault[] {
  const faults: EnvironmentFault[] = [];
  if (env.REFRESH_IDLE_TTL_S > env.REFRESH_ABSOLUTE_TTL_S)
    faults.push({
      variable: 'REFRESH_IDLE_TTL_S',
      fault: 'must not exceed REFRESH_ABSOLUTE_TTL_S',
    });
  // The next key is published for a whole rotation before it signs: longer than anyone may cache the JWKS.
  if (env.KEY_ROTATION_S > 0 && env.KEY_ROTATION_S < 600)
    faults.push({ variable: 'KEY_ROTATION_S', fault: 'must be 0 or at least 600' });
  if (env.TRUSTED_PROXIES.some((item) => !/^(?=.*[.:])[\da-fA-F.:]+(\/\d{1,3})?$/.test(item)))
    faults.push({
      variable: 'TRUSTED_PROXIES',
      fault: 'takes addresses and CIDR blocks only, separated by commas',
    });
  return faults;
}

function productionFaults(env: AuthEnv): EnvironmentFault[] {
  if (env.GATEPOST_ENV !== 'production') return [];
  const faults: EnvironmentFault[] = [];
  if (!env.DATABASE_URL)
    faults.push({ variable: 'DATABASE_URL', fault: 'production needs a database of its own' });
  if (!env.AUTH_STRICT)
    faults.push({ variable: 'AUTH_STRICT', fault: 'false is refused in production' });
  if (env.ENCRYPTION_KEYS.some((key) => key.toString('base64') === DEVELOPMENT_ENCRYPTION_KEY))
    faults.push({
      variable: 'ENCRYPTION_KEYS',
      fault: 'the development key is refused in production',
    });
  if (env.COOKIE_KEYS.includes(DEVELOPMENT_COOKIE_KEY))
    faults.push({ variable: 'COOKIE_KEYS', fault: 'the development key is refused in production' });
  return faults;
}

/** Addresses and identifiers that derive from the environment. */
export interface Addresses {
  readonly issuer: string;
  /** Path of the issuer, `/auth`; where the protocol and the pages are mounted. */
  readonly mount: string;
  /** Resource identifier of the API. */
  readonly api: string;
}

/** Derives the addresses from PUBLIC_URL. */
export function addressesOf(env: Pick<AuthEnv, 'PUBLIC_URL' | 'API_AUDIENCE'>): Addresses {
  const issuer = `${env.PUBLIC_URL}/auth`;
  return {
    issuer,
    mount: new URL(issuer).pathname,
    api: env.API_AUDIENCE ?? env.PUBLIC_URL,
  };
}
