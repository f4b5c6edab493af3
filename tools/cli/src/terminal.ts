export interface TerminalStream {
  write(text: string): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

export type Style = (text: string) => string;

export interface Styles {
  readonly bold: Style;
  readonly dim: Style;
  readonly red: Style;
  readonly green: Style;
  readonly yellow: Style;
  readonly cyan: Style;
}

const SGR = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;

/** Results go to standard output, everything said along the way to standard error: a pipe gets results alone. */
export class Terminal {
  readonly isJson: boolean;
  /** For results, and for what is said along the way. */
  readonly style: Styles;
  readonly noteStyle: Styles;

  constructor(
    private readonly streams: { out: TerminalStream; err: TerminalStream },
    options: { json: boolean; noColour: boolean },
  ) {
    this.isJson = options.json;
    this.style = stylesFor(!options.noColour && !options.json && streams.out.isTTY === true);
    this.noteStyle = stylesFor(!options.noColour && streams.err.isTTY === true);
  }

  get isInteractive(): boolean {
    return this.streams.out.isTTY === true && !this.isJson;
  }

  get columns(): number {
    return this.streams.out.columns ?? 100;
  }

  /** The result: the value as JSON with --json, else in words. */
  show(value: unknown, words: string): void {
    this.streams.out.write(this.isJson ? `${JSON.stringify(value, null, 2)}\n` : `${words}\n`);
  }

  note(text: string): void {
    this.streams.err.write(`${text}\n`);
  }
}

function stylesFor(coloured: boolean): Styles {
  const style = ([on, off]: readonly [number, number]): Style =>
    coloured ? (text) => `\u001b[${on}m${text}\u001b[${off}m` : (text) => text;
  return {
    bold: style(SGR.bold),
    dim: style(SGR.dim),
    red: style(SGR.red),
    green: style(SGR.green),
    yellow: style(SGR.yellow),
    cyan: style(SGR.cyan),
  };
}

/**
 * Text from elsewhere, safe to print: control characters could move the cursor or set colours, bidirectional ones could
 * show a URL backwards.
 */
export function plain(text: string): string {
  return text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    '\ufffd',
  );
}

/** Columns as wide as their widest cell; the last one is cut to the width of the terminal. */
export function table(rows: readonly (readonly string[])[], columns: number): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => [...(row[column] ?? '')].length)),
  );
  return rows
    .map((row) => {
      const line = row
        .map((cell, column) =>
          column === row.length - 1 ? cell : cell.padEnd(widths[column] as number),
        )
        .join('  ');
      return [...line].length > columns ? `${[...line].slice(0, columns - 1).join('')}…` : line;
    })
    .join('\n');
}
