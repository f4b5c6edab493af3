const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

/** The tables that are kept in partitions, and how wide one is. */
export const PARTITION_WIDTHS = {
  clicks: DAY_MS,
  click_minutes: DAY_MS,
  click_visitors: DAY_MS,
  click_seen: HOUR_MS,
} as const;
export type PartitionedTable = keyof typeof PARTITION_WIDTHS;

export interface Partition {
  readonly table: PartitionedTable;
  /** `clicks_20261120`, `click_seen_2026112013` */
  readonly name: string;
  /** Bounds, milliseconds; `to` is not part of it. */
  readonly from: number;
  readonly to: number;
}

/** The partition of a table that holds a time. */
export function partitionAt(table: PartitionedTable, time: number): Partition {
  const width = PARTITION_WIDTHS[table];
  const from = Math.floor(time / width) * width;
  const digits = new Date(from).toISOString().replace(/\D/g, '');
  return {
    table,
    name: `${table}_${digits.slice(0, width === DAY_MS ? 8 : 10)}`,
    from,
    to: from + width,
  };
}

/** The partition that a name of ours names; undefined for any other. */
export function parsePartition(name: string): Partition | undefined {
  const [, table, year, month, day, hour = '00'] =
    /^([a-z_]+)_(\d{4})(\d\d)(\d\d)(\d\d)?$/.exec(name) ?? [];
  if (table === undefined || !(table in PARTITION_WIDTHS)) return undefined;
  const partition = partitionAt(
    table as PartitionedTable,
    Date.parse(`${year}-${month}-${day}T${hour}:00:00Z`),
  );
  return partition.name === name ? partition : undefined;
}

export interface Retention {
  readonly rawDays: number;
  readonly minuteDays: number;
}

/** A little after midnight a worker may still write for the day before. */
const MARGIN_MS = HOUR_MS;

/** Before this time nothing of a table is kept, and nothing is written to it. */
export function keptFrom(table: PartitionedTable, retention: Retention, now: number): number {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  switch (table) {
    case 'clicks':
      return today - retention.rawDays * DAY_MS;
    case 'click_minutes':
      return today - retention.minuteDays * DAY_MS;
    case 'click_visitors':
      return today - DAY_MS; // yesterday's stragglers still count; then the salt goes, and with it the visitors
    case 'click_seen':
      return Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS;
  }
}

export function isExpired(partition: Partition, retention: Retention, now: number): boolean {
  return partition.to <= keptFrom(partition.table, retention, now - MARGIN_MS);
}

/** What should stand before it is needed: today and tomorrow, this hour and the next. */
export function partitionsAhead(now: number): Partition[] {
  return (Object.keys(PARTITION_WIDTHS) as PartitionedTable[]).flatMap((table) => [
    partitionAt(table, now),
    partitionAt(table, now + PARTITION_WIDTHS[table]),
  ]);
}
