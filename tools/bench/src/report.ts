import type { Row } from './measurement.ts';

/** A promise beside what was measured. */
export interface Verdict {
  readonly promise: string;
  readonly measured: string;
  readonly holds: boolean;
}

export interface SuiteReport {
  readonly name: string;
  readonly title: string;
  readonly rows: readonly Row[];
  readonly verdicts: readonly Verdict[];
  /** Further figures, one sentence each. */
  readonly notes?: readonly string[];
}

/** The figures as Markdown, ours relative to the others in the same run. */
export function toMarkdown(reports: readonly SuiteReport[]): string {
  return reports.map(suiteMarkdown).join('\n');
}

function suiteMarkdown({ title, rows, verdicts, notes = [] }: SuiteReport): string {
  const ours = rows.find(({ role }) => role === 'ours');
  const withStore = rows.some((row) => row.storeCpuUsPerOperation !== undefined);
  const table = rows.map((row) => {
    const ratio = ours ? (ours.cpuUsPerOperation / row.cpuUsPerOperation).toFixed(2) : '–';
    return `| ${row.role === 'ours' ? `**${row.name}**` : row.name} | ${row.cpuUsPerOperation.toFixed(1)} | ${Math.round(row.operationsPerSecond)} | ${row.role === 'ours' ? '' : ratio} |${withStore ? ` ${(row.storeCpuUsPerOperation ?? 0).toFixed(1)} |` : ''}`;
  });
  return [
    `## ${title}`,
    '',
    ...(rows.length > 0
      ? [
          `| | CPU µs per operation | per second | ours ÷ this |${withStore ? ' store CPU µs |' : ''}`,
          `|---|---:|---:|---:|${withStore ? '---:|' : ''}`,
          ...table,
          '',
        ]
      : []),
    ...(verdicts.length > 0
      ? [
          '| promise | measured | |',
          '|---|---|---|',
          ...verdicts.map(
            ({ promise, measured, holds }) =>
              `| ${promise} | ${measured} | ${holds ? 'holds' : '**missed**'} |`,
          ),
          '',
        ]
      : []),
    ...notes.map((note) => `- ${note}`),
    '',
  ].join('\n');
}

const COLOURS: Record<Row['role'], string> = { ours: '#2f6f4f', peer: '#8a8f98', limit: '#c9a24b' };

/** Bars of CPU per operation, a group a suite; shorter is better. */
export function toSvg(reports: readonly SuiteReport[]): string {
  const groups = reports.filter(({ rows }) => rows.length > 0);
  const lines: string[] = [];
  let y = 30;
  for (const { title, rows } of groups) {
    lines.push(
      `<text x="16" y="${y}" class="title">${escapeXml(title)}: CPU µs per operation</text>`,
    );
    y += 12;
    const most = Math.max(...rows.map(({ cpuUsPerOperation }) => cpuUsPerOperation));
    for (const row of rows) {
      const width = Math.max(1, (row.cpuUsPerOperation / most) * 420);
      lines.push(
        `<text x="16" y="${y + 14}">${escapeXml(row.name)}</text>`,
        `<rect x="300" y="${y}" width="${width.toFixed(1)}" height="18" rx="3" fill="${COLOURS[row.role]}"/>`,
        `<text x="${(308 + width).toFixed(1)}" y="${y + 14}">${row.cpuUsPerOperation.toFixed(1)}</text>`,
      );
      y += 24;
    }
    y += 34;
  }
  const style = 'text{font:13px system-ui,sans-serif;fill:#1c2127}.title{font-weight:600}';
  return `<svg xmlns="http://www.w3.org/2000/svg" width="820" height="${y}" viewBox="0 0 820 ${y}"><style>${style}</style><rect width="100%" height="100%" fill="#fff"/>${lines.join('')}</svg>\n`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
