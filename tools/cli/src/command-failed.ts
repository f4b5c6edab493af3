import { ExitCode } from './exit-code.ts';

/** A command that cannot be carried out: one clear sentence, and perhaps a line that says what to do. */
export class CommandFailed extends Error {
  readonly exitCode: ExitCode;
  readonly cure: string | undefined;
  /** Further lines, e.g. what is wrong with each member of the input. */
  readonly particulars: readonly string[];

  constructor(
    sentence: string,
    options: {
      exitCode?: ExitCode;
      cure?: string | undefined;
      particulars?: readonly string[];
      cause?: unknown;
    } = {},
  ) {
    super(sentence, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CommandFailed';
    this.exitCode = options.exitCode ?? ExitCode.failed;
    this.cure = options.cure;
    this.particulars = options.particulars ?? [];
  }
}

export function wrongUsage(sentence: string, cure?: string): CommandFailed {
  return new CommandFailed(sentence, { exitCode: ExitCode.usage, cure });
}

export function signInNeeded(sentence: string): CommandFailed {
  return new CommandFailed(sentence, {
    exitCode: ExitCode.signInNeeded,
    cure: 'Run "gatepost login".',
  });
}
