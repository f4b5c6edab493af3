/** An API key as configuration knows it. */
export interface ConfiguredKey {
  readonly name: string;
  readonly tier: string;
}

/** Finds a configured API key by the digest of what a request shows; from memory, for every request asks. */
export type FindKey = (digest: string) => ConfiguredKey | undefined;
