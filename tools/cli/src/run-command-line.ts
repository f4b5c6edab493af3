import { CommandFailed, wrongUsage } from './command-failed.ts';
import { nearestName, readCommandLine, readInvocation } from './command-line.ts';
import { commandGroups, commands } from './commands.ts';
import type { Context } from './context.ts';
import { type CliEnvironment, toBaseUrl } from './environment.ts';
import { ExitCode } from './exit-code.ts';
import { commandHelp, overallHelp } from './help.ts';
import { Terminal, type TerminalStream } from './terminal.ts';

/** What the command line is run with; the process in main.ts, something tamer in specs. */
export interface Surroundings {
  readonly readEnvironment: () => CliEnvironment;
  readonly streams: { readonly out: TerminalStream; readonly err: TerminalStream };
  readonly version: string;
  readonly fetch: typeof fetch;
  /** Milliseconds. */
  readonly now: () => number;
  readonly signal: AbortSignal;
  readonly openBrowser: (url: string, environment: CliEnvironment) => Promise<boolean>;
  readonly callbackPorts: readonly number[];
}

/** Runs one command and returns the exit code. Failures become one clear sentence on standard error. */
export async function runCommandLine(
  words: readonly string[],
  surroundings: Surroundings,
): Promise<ExitCode> {
  const line = readCommandLine(words);
  let terminal = new Terminal(surroundings.streams, { json: line.json, noColour: true });
  try {
    const environment = surroundings.readEnvironment();
    terminal = new Terminal(surroundings.streams, {
      json: line.json,
      noColour: environment.noColour,
    });
    if (line.wantsVersion) {
      terminal.show({ version: surroundings.version }, surroundings.version);
      return ExitCode.done;
    }
    if (line.wantsHelp && line.commandName === undefined) {
      terminal.show({ commands: [...commands.keys()] }, overallHelp(commandGroups, terminal.style));
      return ExitCode.done;
    }
    const command = findCommand(line.commandName as string);
    if (line.wantsHelp) {
      terminal.show({ usage: command.usage }, commandHelp(command, terminal.style));
      return ExitCode.done;
    }
    const baseUrl = line.baseUrl ? toBaseUrl(line.baseUrl, '--base-url') : environment.baseUrl;
    const context: Context = {
      environment,
      baseUrl,
      terminal,
      fetch: surroundings.fetch,
      now: surroundings.now,
      signal: surroundings.signal,
      openBrowser: (url) => surroundings.openBrowser(url, environment),
      callbackPorts: surroundings.callbackPorts,
    };
    await command.run(readInvocation(command, line.rest), context);
    return ExitCode.done;
  } catch (error) {
    return report(error, terminal, surroundings.signal);
  }
}

function findCommand(name: string) {
  const command = commands.get(name);
  if (command) return command;
  const near = nearestName(name, [...commands.keys()]);
  throw wrongUsage(
    `There is no command "${name}".`,
    near ? `Did you mean "gatepost ${near}"?` : 'See "gatepost help".',
  );
}

function report(error: unknown, terminal: Terminal, signal: AbortSignal): ExitCode {
  const { red, dim } = terminal.noteStyle;
  if (signal.aborted) {
    terminal.note(dim('Given up.'));
    return ExitCode.interrupted;
  }
  // Anything else is a fault of ours: its message may quote what was being worked on, tokens included.
  const failure =
    error instanceof CommandFailed
      ? error
      : new CommandFailed(`Something went wrong that should not have (${nameOf(error)}).`);
  terminal.note(`${red('error:')} ${failure.message}`);
  for (const particular of failure.particulars) terminal.note(`  ${particular}`);
  if (failure.cure) terminal.note(dim(failure.cure));
  return failure.exitCode;
}

function nameOf(error: unknown): string {
  const { name, code } = (error ?? {}) as { name?: unknown; code?: unknown };
  return [name, code].filter((part) => typeof part === 'string').join(' ') || typeof error;
}
