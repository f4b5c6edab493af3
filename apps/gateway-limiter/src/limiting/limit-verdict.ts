import type { IncomingHttpHeaders } from 'node:http';
import type { ProblemCode } from '@gatepost/problem-details';

/** What the limiter must know of a request. Whoever speaks HTTP fills it in; nothing else is read. */
export interface RequestFacts {
  /**
   * `unparsed`: the parser or the router refused it before there was a trustworthy head; only the address counts,
   * give `''` for what is not known and `{}` for the header.
   */
  readonly kind: 'request' | 'upgrade' | 'unparsed';
  readonly method: string;
  /** Host without port, lower case; `''` when unknown. */
  readonly host: string;
  /** The normalised path that routes, decoded once, without query. */
  readonly path: string;
  /** The header as Node gives it: lower-case names. */
  readonly headers: IncomingHttpHeaders;
  /** The client's address, already read through the trusted proxies (`clientAddressOf`). */
  readonly clientAddress: string;
}

/** Names and values in turn, as in `rawHeaders`: `[name, value, name, value, …]`. */
export type HeaderPairs = readonly string[];

/** Who the limiter took the caller for. Nothing here is a credential; `label` is safe for logs and metrics. */
export interface CallerSummary {
  readonly kind: 'key' | 'user' | 'client' | 'unknown' | 'address';
  readonly tier: string;
  /** The configured name of an API key, else the first characters of the caller's keyed hash. */
  readonly label: string;
}

/** Body of a refusal, still without `instance` and `requestId`: `renderRefusal` completes it. */
export interface RefusalProblem {
  readonly code: ProblemCode;
  readonly detail: string;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

interface VerdictParts {
  /**
   * Fields of the answer: X-RateLimit-*, RateLimit-Policy, RateLimit, and Retry-After on a refusal. They replace
   * fields of the same name that an upstream sent.
   */
  readonly headers: HeaderPairs;
  readonly caller: CallerSummary;
}

/** Forward the request, without the request fields in `strip`: they held a configured API key. */
export interface Admission extends VerdictParts {
  readonly kind: 'admit';
  readonly strip: readonly ('x-api-key' | 'authorization')[];
}

/** 429 for a used-up quota, 403 for a caller on the deny list. */
export interface Refusal extends VerdictParts {
  readonly kind: 'refuse';
  readonly status: 429 | 403;
  readonly problem: RefusalProblem;
}

/** The store is away and the outage policy is `closed`. */
export interface Unavailability extends VerdictParts {
  readonly kind: 'unavailable';
  readonly status: 503;
  readonly problem: RefusalProblem;
}

export type LimitVerdict = Admission | Refusal | Unavailability;

/** The one function the pipeline calls, once for each request, upgrade and parser error. Never rejects. */
export type LimitRequest = (facts: RequestFacts) => Promise<LimitVerdict>;
