import { until } from '@gatepost/test-services';
import pg from 'pg';
import type { Clicks } from '../checkers/counts.ts';

/** What the service counts, by code: the sum of its daily counts, humans and bots. */
export async function readCounts(databaseUrl: string): Promise<Map<string, number>> {
  const rows = await query<{ code: string; counted: string }>(
    databaseUrl,
    'SELECT code, sum(humans + bots) AS counted FROM click_days GROUP BY code',
  );
  return new Map(rows.map(({ code, counted }) => [code, Number(counted)]));
}

/** All clicks as the other tables have them, which are written in the same transaction. */
export async function readTotals(databaseUrl: string): Promise<Record<string, number>> {
  const [totals = {}] = await query<Record<string, string>>(
    databaseUrl,
    `SELECT (SELECT sum(humans + bots) FROM click_hours) AS click_hours,
            (SELECT sum(humans + bots) FROM click_minutes) AS click_minutes,
            (SELECT sum(humans + bots) FROM click_breakdowns WHERE kind = 'b') AS click_breakdowns,
            (SELECT count(DISTINCT event_id) FROM clicks) AS clicks`,
  );
  return Object.fromEntries(Object.entries(totals).map(([table, total]) => [table, Number(total)]));
}

async function query<Row extends pg.QueryResultRow>(url: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the query's own promise tells
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
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
