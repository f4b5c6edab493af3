export type Expiry =
  | { readonly ok: true; readonly expiresAt: Date }
  | { readonly ok: false; readonly fault: string };

/** RFC 3339 `date-time`: every part is there, the offset too; `T` and `Z` in either case, any number of fraction digits. */
const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(?:Z|([+-])(\d{2}):(\d{2}))$/i;

/** Reads an expiry time. Milliseconds are kept, finer digits are cut off. */
export function parseExpiry(text: string, now: Date): Expiry {
  const expiresAt = parseDateTime(text);
  // RFC 3339 has four digits for the year, and what is stored has to be shown again.
  if (!expiresAt || expiresAt.getUTCFullYear() > 9_999)
    return refused('must be an RFC 3339 date-time with an offset, like 2030-01-01T00:00:00Z');
  if (expiresAt.getTime() <= now.getTime()) return refused('must be in the future');
  return { ok: true, expiresAt };
}

function refused(fault: string): Expiry {
  return { ok: false, fault };
}

/** `Date.parse` takes far more than RFC 3339 and rolls the 31st of June over to July. */
function parseDateTime(text: string): Date | undefined {
  const match = DATE_TIME.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [offsetHour, offsetMinute] = [Number(match[9] ?? 0), Number(match[10] ?? 0)];
  // A leap second (RFC 3339, 5.7) is read as the second after it.
  if (hour > 23 || minute > 59 || second > 60 || offsetHour > 23 || offsetMinute > 59)
    return undefined;
  const milliseconds = Number((match[7] ?? '').slice(1, 4).padEnd(3, '0'));
  const local = new Date(0);
  local.setUTCFullYear(year, month - 1, day);
  if (local.getUTCMonth() !== month - 1 || local.getUTCDate() !== day) return undefined;
  const offset = (match[8] === '-' ? -1 : 1) * (offsetHour * 60 + offsetMinute);
  return new Date(
    local.getTime() + ((hour * 60 + minute - offset) * 60 + second) * 1_000 + milliseconds,
  );
}
