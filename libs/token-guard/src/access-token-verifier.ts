import {
  type AccessTokenClaims,
  type TokenRefusal,
  TokenRefused,
  TokenUndecided,
} from './access-token.ts';
import { digestOf } from './digest.ts';
import { type ClientCredentials, HttpIssuer } from './http-issuer.ts';
import type { TokenGuardObserver, TokenGuardState } from './observer.ts';
import type { PresentedToken } from './presented-token.ts';
import { DEFAULT_PROOF_ALGORITHMS } from './proof-algorithms.ts';
import type { ProofMemory } from './proof-memory.ts';
import { ProofReplays } from './proof-replays.ts';
import { SigningKeys } from './signing-keys.ts';
import { StatusLists } from './status-lists.ts';
import type { SignatureAlgorithm } from './verification-keys.ts';
import { VerifiedTokens } from './verified-tokens.ts';
import { type Expectations, verifyAccessToken } from './verify-access-token.ts';
import { type AcceptedProof, verifyDpopProof } from './verify-dpop-proof.ts';

export interface AccessTokenVerifierOptions {
  /** The public address of the issuer, exactly as in `iss`. */
  readonly issuer: string;
  /** The identifier of this resource server in `aud`. */
  readonly audience: string;
  /** Where this process reaches the issuer, path included; default: its public address. */
  readonly internalUrl?: string | undefined;
  /** Default: ES256 and RS256 for tokens; proofs may use any asymmetric algorithm of the list besides. */
  readonly algorithms?: readonly SignatureAlgorithm[];
  readonly proofAlgorithms?: readonly SignatureAlgorithm[];
  /** 0 to 60; default 10. */
  readonly clockSkewSeconds?: number;
  /** Refuse tokens that cannot be revoked before they expire. Default false. */
  readonly requireStatus?: boolean;
  /** Credentials for the last resort when a status list cannot be fetched. */
  readonly introspection?: ClientCredentials | undefined;
  /** Where the processes of a service remember used proofs together; absent: each for itself. */
  readonly proofMemory?: ProofMemory | undefined;
  /** Verified tokens kept in memory, about 1 KiB each; default 10,000. */
  readonly cacheSize?: number;
  readonly observe?: TokenGuardObserver;
  readonly fetch?: typeof fetch;
  /** Milliseconds, as Date.now. */
  readonly now?: () => number;
  /** How often the status lists in use are asked for; default 1,000. */
  readonly statusPollMs?: number;
  /** How long to wait for the issuer; default 2,000. */
  readonly timeoutMs?: number;
}

export const DEFAULT_ALGORITHMS: readonly SignatureAlgorithm[] = ['ES256', 'RS256'];

const PROOF_LIFETIME_SECONDS = 60;
const PROOFS_REMEMBERED = 100_000;
const KEYS_COOLDOWN_MS = 2_000;
const MAX_CLOCK_SKEW_SECONDS = 60;

/** Verifies access tokens for one resource server. One for a process; close it at the end. */
export class AccessTokenVerifier {
  readonly #verified: VerifiedTokens;
  readonly #verifying = new Map<
    string,
    Promise<AccessTokenClaims | TokenRefused | TokenUndecided>
  >();
  readonly #replays: ProofReplays;

  private constructor(
    private readonly keys: SigningKeys,
    private readonly statusLists: StatusLists,
    private readonly expected: Expectations,
    private readonly options: Required<
      Pick<
        AccessTokenVerifierOptions,
        'now' | 'observe' | 'proofAlgorithms' | 'requireStatus' | 'cacheSize'
      >
    > &
      Pick<AccessTokenVerifierOptions, 'proofMemory'>,
  ) {
    this.#verified = new VerifiedTokens(options.cacheSize);
    this.#replays = new ProofReplays({
      capacity: PROOFS_REMEMBERED,
      memorySeconds: PROOF_LIFETIME_SECONDS + expected.clockSkewSeconds,
    });
  }

  /** Opens no connection: the issuer is asked when the first token comes. */
  static create(options: AccessTokenVerifierOptions): AccessTokenVerifier {
    const { issuer, audience, internalUrl = issuer, clockSkewSeconds = 10 } = options;
    if (!(clockSkewSeconds >= 0 && clockSkewSeconds <= MAX_CLOCK_SKEW_SECONDS))
      throw new RangeError(`clockSkewSeconds must be 0 to ${MAX_CLOCK_SKEW_SECONDS}`);
    const { now = Date.now, observe = ignore, algorithms = DEFAULT_ALGORITHMS } = options;
    const { timeoutMs = 2_000, statusPollMs: pollMs = 1_000, introspection } = options;
    const addresses = { issuer, internalUrl: internalUrl.replace(/\/+$/, '') };
    const fetchWith = options.fetch ?? globalThis.fetch;
    const http = new HttpIssuer({ ...addresses, fetch: fetchWith, timeoutMs, now });
    const keys = new SigningKeys(http, { observe, now, cooldownMs: KEYS_COOLDOWN_MS });
    const expected = { issuer, audience, algorithms, clockSkewSeconds };
    const watch = { ...addresses, algorithms, clockSkewSeconds, introspection };
    const statusLists = new StatusLists(http, keys, { ...watch, observe, now, pollMs });
    return new AccessTokenVerifier(keys, statusLists, expected, {
      now,
      observe,
      proofAlgorithms: options.proofAlgorithms ?? DEFAULT_PROOF_ALGORITHMS,
      requireStatus: options.requireStatus ?? false,
      cacheSize: options.cacheSize ?? 10_000,
      proofMemory: options.proofMemory,
    });
  }

  /**
   * The quick way, for hot paths: the claims of a token that was verified before, still stands and needs no proof, in
   * about one microsecond and without a promise. Undefined means nothing but "call verify".
   */
  peek(token: string): AccessTokenClaims | undefined {
    const claims = this.#findVerified(digestOf(token, 'binary'));
    if (!claims || claims.keyThumbprint !== undefined) return undefined;
    if (claims.status && this.statusLists.peek(claims.status) !== 'valid') return undefined;
    return claims;
  }

  /** The whole judgement: token, binding to a key, status. */
  async verify(
    presented: PresentedToken,
  ): Promise<AccessTokenClaims | TokenRefused | TokenUndecided> {
    const digest = digestOf(presented.token, 'binary');
    const cached = this.#findVerified(digest);
    const claims = cached ?? (await this.#verifyOnce(presented.token, digest));
    const verdict = isVerdict(claims) ? claims : await this.#judge(presented, claims);
    this.#report(verdict, cached !== undefined);
    return verdict;
  }

  /** For gauges. */
  get state(): TokenGuardState {
    return {
      cachedTokens: this.#verified.size,
      signingKeys: this.keys.size,
      keysAgeSeconds: this.keys.ageSeconds,
      statusLists: this.statusLists.size,
      statusAgeSeconds: this.statusLists.ageSeconds,
    };
  }

  /** Stops the polling and forgets everything. */
  close(): void {
    this.statusLists.close();
    this.#verified.clear();
  }

  #findVerified(digest: string): AccessTokenClaims | undefined {
    this.keys.renewBehind();
    return this.#verified.find(digest, this.keys.generation, this.options.now() / 1000);
  }

  /** A burst with one new token costs one signature check. */
  #verifyOnce(
    token: string,
    digest: string,
  ): Promise<AccessTokenClaims | TokenRefused | TokenUndecided> {
    const running = this.#verifying.get(digest);
    if (running) return running;
    const verifying = this.#verifyNow(token, digest).finally(() => this.#verifying.delete(digest));
    this.#verifying.set(digest, verifying);
    return verifying;
  }

  async #verifyNow(
    token: string,
    digest: string,
  ): Promise<AccessTokenClaims | TokenRefused | TokenUndecided> {
    const keys = await this.keys.load();
    if (!keys) return new TokenUndecided('signing-keys');
    const now = this.options.now() / 1000;
    let { generation } = this.keys;
    let verdict = await verifyAccessToken(token, keys, this.expected, now);
    if (verdict instanceof TokenRefused && verdict.reason === 'unknown-key') {
      const renewed = await this.keys.reload();
      if (!renewed) return new TokenUndecided('signing-keys');
      generation = this.keys.generation;
      verdict = await verifyAccessToken(token, renewed, this.expected, now);
    }
    if (verdict instanceof TokenRefused) return verdict;
    if (!verdict.status && this.options.requireStatus) return new TokenRefused('missing-status');
    this.#verified.keep(digest, verdict, generation);
    return verdict;
  }

  /** What no cache may answer. The proof is used up last, so that a failing status does not cost the client its proof. */
  async #judge(
    presented: PresentedToken,
    claims: AccessTokenClaims,
  ): Promise<AccessTokenClaims | TokenRefused | TokenUndecided> {
    const useProof = await this.#verifyBinding(presented, claims);
    if (useProof instanceof TokenRefused) return useProof;
    if (claims.status) {
      const status = await this.statusLists.check(claims.status, presented.token);
      if (status === 'unknown') return new TokenUndecided('status');
      if (status !== 'valid') return new TokenRefused(refusalOf[status]);
    }
    return (await useProof()) ? claims : new TokenRefused('proof-replayed');
  }

  async #verifyBinding(
    { token, scheme, method, url, dpopProof }: PresentedToken,
    { keyThumbprint }: AccessTokenClaims,
  ): Promise<TokenRefused | (() => boolean | Promise<boolean>)> {
    if (keyThumbprint === undefined)
      return scheme === 'bearer' ? () => true : new TokenRefused('not-bound');
    // RFC 9449 §7.2: a bound token must not pass as a bearer token, proof or not.
    if (scheme !== 'dpop' || dpopProof === undefined) return new TokenRefused('proof-required');
    const now = this.options.now() / 1000;
    const proof = await verifyDpopProof(
      dpopProof,
      {
        method,
        url,
        accessToken: token,
        keyThumbprint,
        algorithms: this.options.proofAlgorithms,
        lifetimeSeconds: PROOF_LIFETIME_SECONDS,
        clockSkewSeconds: this.expected.clockSkewSeconds,
      },
      now,
    );
    if (proof instanceof TokenRefused) return proof;
    return () => this.#useProof(keyThumbprint, proof, now);
  }

  /** Here first, which costs nothing; then among the processes. While these cannot be asked, what is known here has to do. */
  async #useProof(keyThumbprint: string, proof: AcceptedProof, now: number): Promise<boolean> {
    if (!this.#replays.use(keyThumbprint, proof, now)) return false;
    const { proofMemory, observe } = this.options;
    if (!proofMemory) return true;
    try {
      const seconds = PROOF_LIFETIME_SECONDS + 2 * this.expected.clockSkewSeconds;
      return await proofMemory.note(
        digestOf(`${keyThumbprint}.${proof.proofId}`, 'base64url'),
        seconds,
      );
    } catch {
      observe({ kind: 'proof-memory-failed' });
      return true;
    }
  }

  #report(verdict: AccessTokenClaims | TokenRefused | TokenUndecided, cached: boolean): void {
    const { observe } = this.options;
    if (verdict instanceof TokenRefused) observe({ kind: 'token-refused', reason: verdict.reason });
    else if (verdict instanceof TokenUndecided)
      observe({ kind: 'token-undecided', lacking: verdict.lacking });
    else observe({ kind: 'token-accepted', cached });
  }
}

const refusalOf = {
  revoked: 'revoked',
  foreign: 'foreign-status-list',
} as const satisfies Record<string, TokenRefusal>;

function isVerdict(
  value: AccessTokenClaims | TokenRefused | TokenUndecided,
): value is TokenRefused | TokenUndecided {
  return value instanceof TokenRefused || value instanceof TokenUndecided;
}

function ignore(): void {
  // Nobody is interested.
}
