import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const APPS = fileURLToPath(new URL('../..', import.meta.url));

/** A step from one version to the next, and what takes it back. */
export interface Step {
  readonly expand: string;
  readonly contract: string;
}

/** Folders of migrations of an app: as they are, without the newest, and with those of versions to come. */
export class SchemaVersions {
  private readonly folder = mkdtempSync(join(tmpdir(), 'gatepost-migrations-'));
  readonly current: string;
  private readonly names: string[];

  constructor(app: string) {
    this.current = join(APPS, app, 'prisma/migrations');
    this.names = readdirSync(this.current)
      .filter((name) => /^\d/.test(name))
      .sort();
  }

  /** Without the newest migration. */
  former(): string {
    return this.lay('former', this.names.slice(0, -1), {});
  }

  /** With one more. */
  next(step: Step): string {
    return this.lay('next', this.names, { '29990101000000_expand': step.expand });
  }

  /** With one more, and the one that takes it back. */
  nextTakenBack(step: Step): string {
    return this.lay('back', this.names, {
      '29990101000000_expand': step.expand,
      '29990102000000_contract': step.contract,
    });
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }

  private lay(
    name: string,
    kept: readonly string[],
    added: Readonly<Record<string, string>>,
  ): string {
    const target = join(this.folder, name);
    for (const migration of kept)
      cpSync(join(this.current, migration), join(target, migration), { recursive: true });
    for (const [migration, sql] of Object.entries(added)) {
      mkdirSync(join(target, migration), { recursive: true });
      writeFileSync(join(target, migration, 'migration.sql'), sql);
    }
    return target;
  }
}
