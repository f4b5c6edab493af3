import { readFileSync } from 'node:fs';
import { StartRefused } from '@gatepost/service-kit';
import { parse } from 'yaml';
import type { z } from 'zod';

/** A file of definitions that cannot be used, with everything that is wrong with it. */
export class DefinitionRefused extends Error {
  constructor(
    readonly file: string,
    readonly faults: readonly string[],
  ) {
    super(`${file} is refused:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'DefinitionRefused';
  }
}

/**
 * Reads YAML or JSON by a schema; `findFaults` is for what a schema cannot say. Throws DefinitionRefused with all faults.
 */
export function parseDefinition<S extends z.ZodType>(
  file: string,
  text: string,
  schema: S,
  findFaults: (definition: z.output<S>) => string[] = () => [],
): z.output<S> {
  let content: unknown;
  try {
    content = parse(text);
  } catch (error) {
    throw new DefinitionRefused(file, [(error as Error).message]);
  }
  const parsed = schema.safeParse(content);
  const faults = parsed.success
    ? findFaults(parsed.data)
    : parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`);
  if (!parsed.success || faults.length > 0) throw new DefinitionRefused(file, faults);
  return parsed.data;
}

export interface DefinitionFileEvents<T> {
  changed(definition: T): void;
  refused(refusal: DefinitionRefused): void;
}

/** A file of definitions and what becomes of it while the gateway runs. */
export class DefinitionFile<T> {
  private timer: NodeJS.Timeout | undefined;

  private constructor(
    private readonly file: string,
    private readonly parse: (file: string, text: string) => T,
    private seen: string,
    readonly definition: T,
  ) {}

  static open<T>(file: string, parse: (file: string, text: string) => T): DefinitionFile<T> {
    const seen = look(file);
    return new DefinitionFile(file, parse, seen, parseSeen(file, seen, parse));
  }

  /**
   * Looks every `intervalMs` whether the content is another one. Not a file watch: a mounted ConfigMap changes by a
   * link two folders up. A faulty file is reported once, and the last good definition stays in force.
   */
  watch(intervalMs: number, events: DefinitionFileEvents<T>): void {
    this.timer = setInterval(() => {
      const seen = look(this.file);
      if (seen === this.seen) return;
      this.seen = seen;
      try {
        events.changed(parseSeen(this.file, seen, this.parse));
      } catch (error) {
        if (!(error instanceof DefinitionRefused)) throw error;
        events.refused(error);
      }
    }, intervalMs);
    this.timer.unref();
  }

  stop(): void {
    clearInterval(this.timer);
  }
}

/** Opens the file that a variable names. A missing or faulty one ends the start with its faults, without a stack. */
export function openDefinition<T>(
  file: string | undefined,
  parse: (file: string, text: string) => T,
): DefinitionFile<T> | undefined {
  if (file === undefined) return undefined;
  try {
    return DefinitionFile.open(file, parse);
  } catch (error) {
    if (error instanceof DefinitionRefused) throw new StartRefused(error.message);
    throw error;
  }
}

/** Begins what is seen of a file that cannot be read; no YAML begins like this. */
const UNREADABLE = '\u0000';

function look(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return UNREADABLE + (error as NodeJS.ErrnoException).code;
  }
}

function parseSeen<T>(file: string, seen: string, parse: (file: string, text: string) => T): T {
  if (seen.startsWith(UNREADABLE))
    throw new DefinitionRefused(file, [`cannot be read (${seen.slice(1)})`]);
  return parse(file, seen);
}
