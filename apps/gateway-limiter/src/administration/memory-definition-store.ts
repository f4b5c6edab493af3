import type { LimitOverride } from '@gatepost/contracts';
import type { DefinitionStore, RuntimeDefinitions, StoredKey, Sync } from './definition-store.ts';

/** Definitions of this process alone, gone with it: for development. */
export class MemoryDefinitionStore implements DefinitionStore {
  private version = 0;
  private readonly keys = new Map<string, StoredKey>();
  private readonly overrides = new Map<string, LimitOverride>();

  async sync(): Promise<Sync> {
    return { version: this.version, liveWorkers: 1 };
  }

  async load(): Promise<RuntimeDefinitions> {
    return {
      version: this.version,
      keys: [...this.keys.values()],
      overrides: [...this.overrides.values()],
    };
  }

  async addKey(key: StoredKey): Promise<boolean> {
    if (this.keys.has(key.name)) return false;
    this.keys.set(key.name, key);
    this.version++;
    return true;
  }

  async removeKey(name: string): Promise<boolean> {
    return this.note(this.keys.delete(name));
  }

  async putOverride(override: LimitOverride): Promise<void> {
    this.overrides.set(override.caller, override);
    this.version++;
  }

  async removeOverride(caller: string): Promise<boolean> {
    return this.note(this.overrides.delete(caller));
  }

  async restore(): Promise<void> {
    // What is in this process cannot be lost apart from it.
  }

  private note(changed: boolean): boolean {
    if (changed) this.version++;
    return changed;
  }
}
