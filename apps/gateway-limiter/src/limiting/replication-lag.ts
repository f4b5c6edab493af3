/** A replica as its primary describes it. */
export interface ReplicaReport {
  readonly name: string;
  readonly isOnline: boolean;
  /** What it last acknowledged. */
  readonly offset: number;
}

export interface PrimaryReport {
  readonly offset: number;
  readonly replicas: readonly ReplicaReport[];
}

export interface ReplicaLag {
  readonly name: string;
  readonly isUp: boolean;
  readonly bytes: number;
  readonly seconds: number;
}

/** Reads `INFO replication` of a primary; `undefined` for a replica, which knows nothing of others. */
export function readReplicationInfo(info: string): PrimaryReport | undefined {
  const fields = new Map(
    info.split(/\r?\n/).flatMap((line): [string, string][] => {
      const colon = line.indexOf(':');
      return colon < 1 ? [] : [[line.slice(0, colon), line.slice(colon + 1)]];
    }),
  );
  if (fields.get('role') !== 'master') return undefined;
  const replicas: ReplicaReport[] = [];
  for (const [name, value] of fields) {
    if (!/^slave\d+$/.test(name)) continue;
    const parts = new Map(value.split(',').map((part) => part.split('=') as [string, string]));
    replicas.push({
      name: `${parts.get('ip')}:${parts.get('port')}`,
      isOnline: parts.get('state') === 'online',
      offset: Number(parts.get('offset')),
    });
  }
  return { offset: Number(fields.get('master_repl_offset')), replicas };
}

/** A replica that its primary no longer lists is shown as down for this long. */
const REMEMBERED_MS = 600_000;
const LONGEST_HISTORY = 3_600;

/**
 * How far replicas are behind, in time: the age of the oldest write that is not acknowledged. Redis' own `lag` field
 * is the age of the last acknowledgement, whatever was acknowledged, and 0 for a replica that is not even synchronised.
 */
export class ReplicationLag {
  /** When the primary was first seen at an offset; offsets grow. */
  private history: { offset: number; atMs: number }[] = [];
  private readonly seen = new Map<string, { offset: number; atMs: number }>();

  observe(report: PrimaryReport, nowMs: number): ReplicaLag[] {
    const newest = this.history.at(-1);
    // Offsets that run backwards are those of another primary.
    if (newest && report.offset < newest.offset) {
      this.history = [];
      this.seen.clear();
    }
    if (!newest || report.offset !== newest.offset) {
      this.history.push({ offset: report.offset, atMs: nowMs });
      if (this.history.length > LONGEST_HISTORY) this.history.shift();
    }
    const listed = new Set<string>();
    const lags = report.replicas.map(({ name, isOnline, offset }): ReplicaLag => {
      listed.add(name);
      this.seen.set(name, { offset, atMs: nowMs });
      return { name, isUp: isOnline, ...this.behind(report, offset, nowMs) };
    });
    for (const [name, { offset, atMs }] of this.seen) {
      if (listed.has(name)) continue;
      if (nowMs - atMs > REMEMBERED_MS) this.seen.delete(name);
      else lags.push({ name, isUp: false, ...this.behind(report, offset, nowMs) });
    }
    return lags;
  }

  private behind(report: PrimaryReport, offset: number, nowMs: number) {
    const missing = this.history.find((entry) => entry.offset > offset);
    return {
      bytes: Math.max(0, report.offset - offset),
      seconds: missing ? (nowMs - missing.atMs) / 1_000 : 0,
    };
  }
}
