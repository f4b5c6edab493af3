import { Counter, Gauge, type Registry } from 'prom-client';
import type { AccessTokenVerifier } from './access-token-verifier.ts';
import type { TokenGuardEvent, TokenGuardObserver } from './observer.ts';

/** Counts what a verifier tells its observer, under the same names in every service. */
export class TokenGuardMetrics {
  readonly #verdicts: Counter;
  readonly #keyFetches: Counter;
  readonly #statusFetches: Counter;
  readonly #introspections: Counter;
  readonly #proofMemoryFailures: Counter;

  constructor(private readonly registry: Registry) {
    this.#verdicts = this.#counter('verdicts', 'Access tokens judged', ['outcome', 'reason']);
    this.#keyFetches = this.#counter('key_fetches', 'Fetches of the issuer keys', [
      'cause',
      'outcome',
    ]);
    this.#statusFetches = this.#counter('status_fetches', 'Fetches of status lists', ['outcome']);
    this.#introspections = this.#counter('introspections', 'Tokens asked about one by one', [
      'outcome',
    ]);
    this.#proofMemoryFailures = this.#counter(
      'proof_memory_failures',
      'DPoP proofs that the other processes could not be asked for',
      [],
    );
  }

  readonly observe: TokenGuardObserver = (event) => this.#count(event);

  /** Ages of what the verifier relies on, read at each scrape. */
  watch(verifier: AccessTokenVerifier): void {
    // Several workers of a service report together: the worst age counts, and all the tokens.
    this.#gauge(
      'status_age_seconds',
      'How late a revocation may be noticed right now',
      'max',
      () => verifier.state.statusAgeSeconds,
    );
    this.#gauge(
      'keys_age_seconds',
      'Since the keys were last fetched',
      'max',
      () => verifier.state.keysAgeSeconds ?? Number.NaN,
    );
    this.#gauge('status_lists', 'Status lists in use', 'max', () => verifier.state.statusLists);
    this.#gauge(
      'cached_tokens',
      'Verified tokens in memory',
      'sum',
      () => verifier.state.cachedTokens,
    );
  }

  #count(event: TokenGuardEvent): void {
    switch (event.kind) {
      case 'token-accepted':
        this.#verdicts.inc({ outcome: 'accepted', reason: event.cached ? 'known' : 'verified' });
        break;
      case 'token-refused':
        this.#verdicts.inc({ outcome: 'refused', reason: event.reason });
        break;
      case 'token-undecided':
        this.#verdicts.inc({ outcome: 'undecided', reason: event.lacking });
        break;
      case 'keys-fetched': {
        const outcome = event.succeeded ? 'fetched' : 'failed';
        this.#keyFetches.inc({ cause: event.cause, outcome });
        break;
      }
      case 'status-fetched':
        this.#statusFetches.inc({ outcome: event.outcome });
        break;
      case 'status-introspected':
        this.#introspections.inc({ outcome: event.outcome });
        break;
      case 'proof-memory-failed':
        this.#proofMemoryFailures.inc();
        break;
    }
  }

  #counter(name: string, help: string, labelNames: string[]): Counter {
    return new Counter({
      name: `token_guard_${name}_total`,
      help,
      labelNames,
      registers: [this.registry],
    });
  }

  #gauge(name: string, help: string, aggregator: 'max' | 'sum', read: () => number): void {
    new Gauge({
      name: `token_guard_${name}`,
      help,
      aggregator,
      registers: [this.registry],
      collect() {
        this.set(read());
      },
    });
  }
}
