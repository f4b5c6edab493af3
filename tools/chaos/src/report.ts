import type { Scenario } from './scenario.ts';

/** One scenario's row. */
export interface Result {
  readonly name: string;
  readonly promise: string;
  readonly verdict: 'held' | 'broken' | 'skipped';
  readonly observed: string;
  readonly faults: readonly string[];
  readonly seconds: number;
}

export function toMarkdown(results: readonly Result[]): string {
  const count = (verdict: Result['verdict']) =>
    results.filter((result) => result.verdict === verdict).length;
  const minutes = results.reduce((sum, { seconds }) => sum + seconds, 0) / 60;
  return [
    '| scenario | promise | observed | verdict | s |',
    '|---|---|---|---|---:|',
    ...results.map(
      ({ name, promise, observed, verdict, seconds }) =>
        `| ${[name, promise, observed, verdict === 'broken' ? '**broken**' : verdict].map(inCell).join(' | ')} | ${seconds} |`,
    ),
    '',
    ...results.flatMap(({ name, faults }) => faults.map((fault) => `- ${name}: ${inCell(fault)}`)),
    '',
    `${count('held')} held, ${count('broken')} broken, ${count('skipped')} skipped, in ${minutes.toFixed(1)} min.`,
    '',
  ].join('\n');
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s*\n\s*/g, ' ');
}

export function listScenarios(scenarios: readonly Scenario[]): string {
  const width = Math.max(...scenarios.map(({ name }) => name.length));
  return scenarios.map(({ name, promise }) => `${name.padEnd(width)}  ${promise}`).join('\n');
}
