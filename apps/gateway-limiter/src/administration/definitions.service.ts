import type { ApiKey, LimitOverride, LimitsDefinition } from '@gatepost/contracts';
import type { ConfiguredKey } from '../identity/configured-keys.ts';
import { credentialDigest } from '../identity/keyed-hash.ts';
import type { DefinitionStore, RuntimeDefinitions, StoredKey } from './definition-store.ts';

export interface DefinitionsOptions {
  readonly store: DefinitionStore;
  /** Keys that exist for demonstration, with their plain text. */
  readonly demoKeys: readonly { name: string; tier: string; key: string }[];
  readonly onTrouble: (error: Error) => void;
}

const NOTHING: RuntimeDefinitions = { version: 0, keys: [], overrides: [] };

interface KnownKey extends ConfiguredKey {
  readonly listed: ApiKey;
}

/**
 * Every API key and override there is, in memory, for each request asks. Follows the shared store by its version; while
 * the store is away, what was known last stays in force.
 */
export class Definitions {
  private runtime: RuntimeDefinitions = NOTHING;
  private fileKeys: LimitsDefinition['keys'] = [];
  private byDigest = new Map<string, KnownKey>();
  private byCaller = new Map<string, LimitOverride>();
  private timer: NodeJS.Timeout | undefined;
  private workers = 1;
  private inTrouble = false;

  constructor(private readonly options: DefinitionsOptions) {
    this.rebuild();
  }

  readonly findKey = (digest: string): ConfiguredKey | undefined => this.byDigest.get(digest);
  readonly findOverride = (caller: string): LimitOverride | undefined => this.byCaller.get(caller);

  get liveWorkers(): number {
    return this.workers;
  }

  get version(): number {
    return this.runtime.version;
  }

  listKeys(): ApiKey[] {
    return [...this.byDigest.values()].map(({ listed }) => listed);
  }

  listOverrides(): readonly LimitOverride[] {
    return this.runtime.overrides;
  }

  useFileKeys(keys: LimitsDefinition['keys']): void {
    this.fileKeys = keys;
    this.rebuild();
  }

  /** Follows the store from now on. */
  follow(intervalMs: number): void {
    const turn = async () => {
      await this.refresh();
      if (this.timer === undefined) return;
      this.timer = setTimeout(() => void turn(), intervalMs);
      this.timer.unref();
    };
    this.timer = setTimeout(() => void turn(), 0);
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  /** Catches up with the store; tells of trouble once, not at every turn. */
  async refresh(): Promise<void> {
    const { store } = this.options;
    try {
      const { version, liveWorkers } = await store.sync();
      this.workers = liveWorkers;
      if (version === 0 && this.runtime.version > 0) {
        // The store came back empty: keys that were issued must not die with its memory.
        await store.restore(this.runtime);
        this.runtime = await store.load();
        this.rebuild();
      } else if (version !== this.runtime.version) {
        this.runtime = await store.load();
        this.rebuild();
      }
      this.inTrouble = false;
    } catch (error) {
      if (!this.inTrouble) this.options.onTrouble(error as Error);
      this.inTrouble = true;
    }
  }

  private rebuild(): void {
    const keys = new Map<string, KnownKey>();
    const add = (digest: string, listed: ApiKey) =>
      keys.set(digest, { name: listed.name, tier: listed.tier, listed });
    for (const { name, tier, key } of this.options.demoKeys)
      add(credentialDigest(key), { name, tier, source: 'demo' });
    for (const key of this.runtime.keys) add(key.digest, listedKey(key));
    for (const { name, tier, sha256 } of this.fileKeys)
      add(Buffer.from(sha256, 'hex').toString('base64url'), { name, tier, source: 'file' });
    this.byDigest = keys;
    this.byCaller = new Map(this.runtime.overrides.map((override) => [override.caller, override]));
  }
}

function listedKey({ name, tier, hint, createdAt }: StoredKey): ApiKey {
  return { name, tier, source: 'issued', hint, createdAt };
}
