/** One broken rule at one place. */
export interface Finding {
  readonly rule: string;
  /** Relative to the workspace. */
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

export function showFinding({ rule, file, line, message }: Finding): string {
  return `${file}${line === undefined ? '' : `:${line}`}  ${message}  [${rule}]`;
}
