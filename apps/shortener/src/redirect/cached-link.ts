/** What a redirect needs to know of a link, as the caches hold it. Times are Unix milliseconds. */
export interface CachedLink {
  readonly code: string;
  readonly longUrl: string;
  /** `Infinity`: never. */
  readonly expiresAt: number;
  readonly trackClicks: boolean;
  readonly version: number;
  /** The verdict of a scan or an operator; the blocklist is asked apart, for it changes without the link. */
  readonly blockedReason: string | undefined;
  /** Whether the destination was scanned. */
  readonly isScanned: boolean;
}

/** How long a link stays in the shared cache, before jitter. */
const SHARED_TTL_MS = 24 * 60 * 60 * 1_000;

/**
 * Milliseconds that a link may stay in the shared cache: 24 h less up to 10 %, so that links cached together do not all
 * come back to the database together; never past the expiry.
 */
export function sharedTtlMs(link: CachedLink, now: number, random: number): number {
  const jittered = Math.round(SHARED_TTL_MS * (1 - random * 0.1));
  return Math.min(jittered, link.expiresAt - now);
}

/**
 * The stored form: version, a bar, JSON. The version comes first for the script that compares it; a marker, left behind by
 * a change, is a version with nothing after the bar.
 */
export function encodeCachedLink(link: CachedLink): string {
  return `${link.version}|${JSON.stringify([
    link.longUrl,
    link.expiresAt === Number.POSITIVE_INFINITY ? 0 : link.expiresAt,
    link.trackClicks ? 1 : 0,
    link.isScanned ? 1 : 0,
    link.blockedReason ?? '',
  ])}`;
}

export function encodeMarker(version: number): string {
  return `${version}|`;
}

/** Undefined for a marker, and for whatever another program may have written there. */
export function decodeCachedLink(code: string, stored: string): CachedLink | undefined {
  const bar = stored.indexOf('|');
  const version = Number(stored.slice(0, bar));
  if (bar < 1 || !Number.isInteger(version) || bar === stored.length - 1) return undefined;
  let parts: unknown;
  try {
    parts = JSON.parse(stored.slice(bar + 1));
  } catch {
    return undefined; // not ours: read the database instead
  }
  if (!Array.isArray(parts) || typeof parts[0] !== 'string') return undefined;
  const [longUrl, expiresAt, trackClicks, isScanned, blockedReason] = parts;
  return {
    code,
    longUrl,
    expiresAt: Number(expiresAt) || Number.POSITIVE_INFINITY,
    trackClicks: trackClicks === 1,
    version,
    blockedReason: blockedReason || undefined,
    isScanned: isScanned === 1,
  };
}
