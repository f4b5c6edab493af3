import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { ScenarioSkipped } from '../scenario.ts';
import type { Stage } from '../stage.ts';

const NAME = 'disk';
const CHUNK = Buffer.alloc(64 * 1024);

/** A file system of its own that is as small as it is told, and that can be filled. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  static mount(stage: Stage, megabytes: number): SmallDisk {
    const folder = join(stage.options.folder, NAME);
    mkdirSync(folder);
    try {
      const options = `size=${megabytes}m,mode=0755`;
      execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'pipe' });
    } catch {
      throw new ScenarioSkipped('it takes the right to mount a small file system (root on Linux)');
    }
    stage.onEnd(() => unmountForgotten(stage.options.folder));
    return new SmallDisk(folder);
  }

  /** Leaves not a byte. */
  fill(): void {
    const file = openSync(this.filler, 'a');
    try {
      for (;;) writeSync(file, CHUNK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(this.filler);
  }

  private get filler(): string {
    return join(this.folder, 'filler');
  }
}

/** Lets go of the disk that a scenario, or a run that was killed, had in this folder. */
export function unmountForgotten(stageFolder: string): void {
  const folder = join(stageFolder, NAME);
  if (!existsSync(folder)) return;
  try {
    // Lazily: a process that is just ending may still hold a file.
    execFileSync('umount', ['-l', folder], { stdio: 'pipe' });
  } catch {
    // it was not mounted any more
  }
}
