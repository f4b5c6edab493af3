import type { StatusReference } from './access-token.ts';
import type { ClientCredentials, HttpIssuer } from './http-issuer.ts';
import { type IssuerAddresses, toInternalAddress } from './issuer-addresses.ts';
import type { TokenGuardObserver } from './observer.ts';
import type { SigningKeys } from './signing-keys.ts';
import { readStatusList, type StatusList, type StatusListRefusal } from './status-list.ts';
import type { SignatureAlgorithm } from './verification-keys.ts';

export interface StatusListsOptions extends IssuerAddresses {
  readonly algorithms: readonly SignatureAlgorithm[];
  readonly clockSkewSeconds: number;
  readonly introspection: ClientCredentials | undefined;
  readonly observe: TokenGuardObserver;
  /** Milliseconds. */
  readonly now: () => number;
  readonly pollMs: number;
}

export type TokenStatus = 'valid' | 'revoked' | 'foreign' | 'unknown';

interface WatchedList {
  readonly uri: string;
  list: StatusList | undefined;
  etag: string | undefined;
  /** When the last attempt began or ended. This and the other times in milliseconds. */
  attemptedAt: number;
  confirmedAt: number;
  usedAt: number;
  hasFailed: boolean;
  fetching: Promise<void> | undefined;
}

/** A list that no token asks for is not polled any longer than this. */
const IDLE_MS = 60_000;
/** An issuer opens a list every ten minutes or so; this many at once is a fault of the issuer's. */
const MAX_LISTS = 512;

/**
 * Whether tokens still stand, by the issuer's Token Status Lists. Lists in use are polled about once a second, so that a
 * revocation is honoured within two. While a list cannot be fetched, the copy counts until it expires; after that the
 * issuer is asked about each token, if we have credentials for it; after that nobody knows.
 */
export class StatusLists {
  readonly #lists = new Map<string, WatchedList>();
  #timer: NodeJS.Timeout | undefined;
  #introspectAfter = 0;

  constructor(
    private readonly issuer: HttpIssuer,
    private readonly keys: SigningKeys,
    private readonly options: StatusListsOptions,
  ) {}

  get size(): number {
    return this.#lists.size;
  }

  /** Of the list that was confirmed longest ago. */
  get ageSeconds(): number {
    let oldest = this.options.now();
    const now = oldest;
    for (const { confirmedAt } of this.#lists.values()) oldest = Math.min(oldest, confirmedAt);
    return (now - oldest) / 1000;
  }

  /** What memory says; undefined when it must not be relied on. */
  peek({ uri, index }: StatusReference): 'valid' | 'revoked' | undefined {
    const watched = this.#lists.get(uri);
    if (!watched) return undefined;
    const now = this.options.now();
    watched.usedAt = now;
    if (!watched.list || watched.list.expiresAt * 1000 <= now) return undefined;
    if (this.#isAsleep(watched)) return undefined;
    return watched.list.isValid(index) ? 'valid' : 'revoked';
  }

  /** What memory says, or else the issuer. */
  async check(reference: StatusReference, token: string): Promise<TokenStatus> {
    const known = this.peek(reference);
    if (known) return known;
    if (!toInternalAddress(reference.uri, this.options)) return 'foreign';
    const watched = this.#watch(reference.uri);
    // After a failure the poll tries again; waiting for it would only pile up requests behind an issuer that hangs.
    if (watched && (!watched.hasFailed || this.#isAsleep(watched))) await this.#refresh(watched);
    return this.peek(reference) ?? (await this.#introspect(token));
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lists.clear();
  }

  #watch(uri: string): WatchedList | undefined {
    const existing = this.#lists.get(uri);
    if (existing) return existing;
    this.#dropIdle();
    if (this.#lists.size >= MAX_LISTS) return undefined;
    const now = this.options.now();
    const watched: WatchedList = {
      uri,
      list: undefined,
      etag: undefined,
      attemptedAt: Number.NEGATIVE_INFINITY,
      confirmedAt: now,
      usedAt: now,
      hasFailed: false,
      fetching: undefined,
    };
    this.#lists.set(uri, watched);
    this.#schedulePoll();
    return watched;
  }

  /** The poll fell asleep, e.g. with the whole machine: ask before answering. */
  #isAsleep({ fetching, attemptedAt }: WatchedList): boolean {
    return !fetching && this.options.now() - attemptedAt > 2 * this.options.pollMs;
  }

  #refresh(watched: WatchedList): Promise<void> {
    watched.fetching ??= this.#fetch(watched).finally(() => {
      watched.attemptedAt = this.options.now();
      watched.fetching = undefined;
    });
    return watched.fetching;
  }

  async #fetch(watched: WatchedList): Promise<void> {
    const { observe, now } = this.options;
    watched.attemptedAt = now();
    try {
      const fetched = await this.issuer.fetchStatusList(watched.uri, watched.etag);
      if (fetched) {
        const list = await this.#read(watched.uri, fetched.token);
        if (typeof list === 'string') throw new Error(`the status list is ${list}`);
        watched.list = list;
        watched.etag = fetched.etag;
      } else if (!watched.list || watched.list.expiresAt * 1000 <= now()) {
        throw new Error('the status list is "not modified", yet we have no good copy');
      }
      watched.confirmedAt = now();
      watched.hasFailed = false;
      observe({ kind: 'status-fetched', outcome: fetched ? 'changed' : 'unchanged' });
    } catch {
      // Without the tag the next attempt gets the whole list, whatever was wrong with this one.
      watched.etag = undefined;
      watched.hasFailed = true;
      observe({ kind: 'status-fetched', outcome: 'failed' });
    }
  }

  async #read(uri: string, token: string): Promise<StatusList | StatusListRefusal> {
    const expected = { ...this.options, uri };
    const keys = await this.keys.load();
    if (!keys) return 'unknown-key';
    const now = this.options.now() / 1000;
    const list = await readStatusList(token, keys, expected, now);
    if (list !== 'unknown-key') return list;
    const renewed = await this.keys.reload();
    return renewed ? readStatusList(token, renewed, expected, now) : 'unknown-key';
  }

  async #introspect(token: string): Promise<TokenStatus> {
    const { introspection, observe, now, pollMs } = this.options;
    if (!introspection || now() < this.#introspectAfter) return 'unknown';
    try {
      const isActive = await this.issuer.introspect(token, introspection);
      observe({ kind: 'status-introspected', outcome: isActive ? 'active' : 'inactive' });
      return isActive ? 'valid' : 'revoked';
    } catch {
      // One waits for the time-out; the others must not queue up behind it.
      this.#introspectAfter = now() + pollMs;
      observe({ kind: 'status-introspected', outcome: 'failed' });
      return 'unknown';
    }
  }

  #schedulePoll(): void {
    if (this.#timer || this.#lists.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#dropIdle();
      for (const watched of this.#lists.values()) void this.#refresh(watched);
      this.#schedulePoll();
    }, this.options.pollMs);
    this.#timer.unref();
  }

  #dropIdle(): void {
    const now = this.options.now();
    for (const [uri, { usedAt }] of this.#lists) {
      if (now - usedAt > IDLE_MS) this.#lists.delete(uri);
    }
  }
}
