import { wrongUsage } from './command-failed.ts';

const SECONDS = { s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;

/** A duration like `7d`, in seconds. */
export function toSeconds(text: string, option: string): number {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (!amount || !unit)
    throw wrongUsage(`${option} takes a duration like 12h or 7d, not "${text}".`);
  return Number(amount) * SECONDS[unit as keyof typeof SECONDS];
}

/** A duration from now (`7d`) or a date, as an RFC 3339 timestamp. `now` in milliseconds. */
export function toTimestamp(text: string, option: string, now: number): string {
  const [, amount, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  if (amount && unit) {
    return new Date(
      now + Number(amount) * SECONDS[unit as keyof typeof SECONDS] * 1000,
    ).toISOString();
  }
  const isDate = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})?)?$/.test(
    text,
  );
  const time = isDate ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(time))
    throw wrongUsage(`${option} takes a time like 12h, 7d or 2030-01-01T00:00:00Z, not "${text}".`);
  return new Date(time).toISOString();
}

/** How long ago, roughly: `3 min`, `5 h`, `12 d`. */
export function ageOf(timestamp: string, now: number): string {
  const seconds = Math.max(0, (now - Date.parse(timestamp)) / 1000);
  if (seconds < 60) return 'just now';
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}
