import type { IncomingHttpHeaders } from 'node:http';
import { keyedHash } from './keyed-hash.ts';

/** Longer ones are not looked at: nobody shall make us hash what fills a header section. Such a caller counts by address. */
const LONGEST_CREDENTIAL = 4_096;

export type BearerScheme = 'bearer' | 'dpop';

/** What a request shows to say who sends it. None of it is believed yet. */
export interface Credentials {
  readonly apiKey: string | undefined;
  readonly bearer: { readonly scheme: BearerScheme; readonly value: string } | undefined;
}

/** Reads `X-API-Key` and `Authorization: Bearer …` or `DPoP …`; the scheme in any case, the value to the letter. */
export function readCredentials(headers: IncomingHttpHeaders): Credentials {
  const apiKey = headers['x-api-key'];
  return {
    apiKey: typeof apiKey === 'string' ? presentable(apiKey.trim()) : undefined,
    bearer: readBearer(headers.authorization),
  };
}

function readBearer(authorization: string | undefined): Credentials['bearer'] {
  if (authorization === undefined) return undefined;
  const space = authorization.indexOf(' ');
  const scheme = authorization.slice(0, Math.max(0, space)).toLowerCase();
  if (scheme !== 'bearer' && scheme !== 'dpop') return undefined;
  const value = presentable(authorization.slice(space + 1).trim());
  return value === undefined ? undefined : { scheme, value };
}

function presentable(credential: string): string | undefined {
  return credential.length > 0 && credential.length <= LONGEST_CREDENTIAL ? credential : undefined;
}

export type CallerKind = 'key' | 'user' | 'client' | 'unknown' | 'address';

/** One that is counted. */
export interface Caller {
  readonly kind: CallerKind;
  /** `key:<name>`, `user:<sub>`, …; an unknown bearer has none, for its value is nobody's business. */
  readonly name: string | undefined;
  /** Of the caller's own; without one, `anonymous` counts for addresses and `free` for everybody else. */
  readonly tier: string | undefined;
  /** Keyed hash, 22 characters: the only form in which a caller leaves the process. */
  readonly hash: string;
  /** The store's key of its buckets, to which a rule adds its name. */
  readonly stem: string;
  /** For logs and metrics. */
  readonly label: string;
}

/** A caller whom something vouches for. */
export function knownCaller(
  secret: string,
  kind: Exclude<CallerKind, 'unknown'>,
  id: string,
  tier?: string,
): Caller {
  const hash = keyedHash(secret, kind, id);
  return {
    kind,
    name: `${kind}:${id}`,
    tier,
    hash,
    stem: stemOf(hash.slice(0, 2), hash.slice(2)),
    label: kind === 'key' ? id : shortened(hash),
  };
}

/**
 * A bearer that nothing is known of. Its buckets stand under the hash tag of its address: both are decided in one
 * atomic call, also in a cluster.
 */
export function unknownCaller(secret: string, credential: string, address: Caller): Caller {
  const hash = keyedHash(secret, 'unknown', credential);
  return {
    kind: 'unknown',
    name: undefined,
    tier: undefined,
    hash,
    stem: stemOf(address.hash.slice(0, 2), hash),
    label: shortened(hash),
  };
}

export function tierOf(caller: Caller): string {
  return caller.tier ?? (caller.kind === 'address' ? 'anonymous' : 'free');
}

/** The store's key of a caller's buckets under one rule; `''` is the tier's own. */
export function bucketKey(stem: string, rule: string): string {
  return rule === '' ? stem : `${stem}:${rule}`;
}

function stemOf(tag: string, rest: string): string {
  return `rl:{${tag}}${rest}`;
}

function shortened(hash: string): string {
  return hash.slice(0, 10);
}
