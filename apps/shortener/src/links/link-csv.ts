import type { LinkBody } from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import { CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

/** Columns of an export, in order. An import takes them back, and `customAlias` for `code`. */
const COLUMNS = [
  'code',
  'shortUrl',
  'longUrl',
  'createdAt',
  'expiresAt',
  'trackClicks',
  'state',
] as const satisfies readonly (keyof LinkBody)[];

/** RFC 4180. */
export function toCsv(links: readonly LinkBody[], options: { header: boolean }): string {
  return stringify([...links], {
    header: options.header,
    columns: [...COLUMNS],
    record_delimiter: 'windows',
    cast: { boolean: (value) => String(value) },
  });
}

/** Rows of a CSV with a header line, as JSON would have had them: an empty cell is an absent member. */
export function parseCsv(text: string): Record<string, unknown>[] {
  try {
    const rows = parse(text, {
      columns: (header: string[]) => header.map((name) => name.trim()),
      bom: true,
      skip_empty_lines: true,
      relax_column_count: false,
    }) as Record<string, string>[];
    return rows.map(toItem);
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new DomainError('malformed-request', `The CSV cannot be read: ${error.message}.`);
  }
}

function toItem(row: Record<string, string>): Record<string, unknown> {
  const cells = Object.entries(row).filter(([, cell]) => cell !== '');
  return Object.fromEntries(
    cells.map(([name, cell]) => [name, name === 'trackClicks' ? toBoolean(cell) : cell]),
  );
}

/** Other spellings stay text, which the schema then refuses with a word on it. */
function toBoolean(cell: string): unknown {
  return /^true$/i.test(cell) ? true : /^false$/i.test(cell) ? false : cell;
}
