import type { LimitOverride } from '@gatepost/contracts';

/** An API key as it is stored: its digest, never itself. */
export interface StoredKey {
  readonly name: string;
  readonly tier: string;
  /** `credentialDigest` of the key. */
  readonly digest: string;
  readonly hint: string;
  readonly createdAt: string;
}

/** What operators put in place at run time. */
export interface RuntimeDefinitions {
  /** Grows with every change; 0 before the first. */
  readonly version: number;
  readonly keys: readonly StoredKey[];
  readonly overrides: readonly LimitOverride[];
}

/** How this process is, as far as the others are concerned. */
export interface Sync {
  readonly version: number;
  /** Gateway processes heard of in the last seconds, this one included. */
  readonly liveWorkers: number;
}

/** Where run-time definitions live: with the buckets, so that all gateways share them. */
export interface DefinitionStore {
  /** Says that this process lives, and asks whether anything changed. */
  sync(): Promise<Sync>;
  load(): Promise<RuntimeDefinitions>;
  /** False when a key of that name exists. */
  addKey(key: StoredKey): Promise<boolean>;
  /** False when there was none. */
  removeKey(name: string): Promise<boolean>;
  putOverride(override: LimitOverride): Promise<void>;
  removeOverride(caller: string): Promise<boolean>;
  /** Puts definitions back into a store that lost everything, unless somebody else was first. */
  restore(definitions: RuntimeDefinitions): Promise<void>;
}
