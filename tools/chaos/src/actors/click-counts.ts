import { until } from '@gatepost/test-services';
import pg from 'pg';
import type { Clicks } from '../checkers/counts.ts';

/** What the service counts, by code: the sum of its daily counts, humans and bots. */
export async function readCounts(databaseUrl: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on('error', () => undefined); // the query's own promise tells
  await client.connect();
  try {
    const { rows } = await client.query<{ code: string; counted: string }>(
      'SELECT code, sum(humans + bots) AS counted FROM click_days GROUP BY code',
    );
    return new Map(rows.map(({ code, counted }) => [code, Number(counted)]));
  } finally {
    await client.end();
  }
}

/**
 * Waits until as many clicks are counted as were acknowledged, and then until nothing more comes; or until that takes
 * too long. Gives what is counted then.
 */
export async function settledCounts(
  databaseUrl: string,
  clicks: ReadonlyMap<string, Pick<Clicks, 'acknowledged' | 'uncertain'>>,
  withinMs: number,
): Promise<Map<string, Clicks>> {
  const due = sum([...clicks.values()].map(({ acknowledged }) => acknowledged));
  let counts = new Map<string, number>();
  const look = async () => {
    counts = await readCounts(databaseUrl);
    return sum([...counts.values()]);
  };
  const isSettled = async () => {
    if ((await look()) < due) return false;
    const before = sum([...counts.values()]);
    await new Promise((resolve) => setTimeout(resolve, 1_500)); // what is counted twice comes late
    return (await look()) === before;
  };
  await until(isSettled, { withinMs }).catch(() => undefined); // the checker tells what is missing
  return new Map(
    [...clicks].map(([code, known]) => [code, { ...known, counted: counts.get(code) ?? 0 }]),
  );
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
