import type { ProblemCode } from './problem-types.ts';

export interface DomainErrorOptions {
  /** JSON Pointers into the input, for faults of the caller. */
  readonly errors?: readonly { pointer: string; detail: string }[];
  /** Header fields the answer must carry, e.g. `retry-after`, `www-authenticate`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the problem, e.g. `violated-policies`. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * An outcome that a caller is told about. Rooms throw subclasses (or this class) with a code of the one table;
 * the filter renders it. `detail` is shown to the caller and never holds internals.
 */
export class DomainError extends Error {
  readonly errors: readonly { pointer: string; detail: string }[] | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly extensions: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ProblemCode,
    detail: string,
    options: DomainErrorOptions = {},
  ) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.errors = options.errors;
    this.headers = options.headers ?? {};
    this.extensions = options.extensions ?? {};
  }
}
