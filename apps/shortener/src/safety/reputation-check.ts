/** Somebody who knows bad addresses. */
export abstract class ReputationCheck {
  /** Why `url` is bad, in a sentence for the visitor; undefined when nothing is known against it. Rejects when it cannot tell. */
  abstract check(url: URL, signal: AbortSignal): Promise<string | undefined>;
}
