/** What a script can tell apart. Documented in `gatepost help`. */
export const ExitCode = {
  done: 0,
  failed: 1,
  usage: 2,
  signInNeeded: 3,
  refused: 4,
  unavailable: 5,
  interrupted: 130,
} as const;
export type ExitCode = (typeof ExitCode)[keyof typeof ExitCode];
