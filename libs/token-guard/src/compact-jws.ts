/** A compact JWS taken apart, nothing of it verified yet. */
export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Far above any token of ours (about 1 KiB) and below what Node accepts as a header section. */
const MAX_LENGTH = 8192;
const SHAPE = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Parses what must be a signed JWT. Base64url has to be canonical: a lenient decoder ignores spare bits in the last
 * character of the signature, and one token would have several spellings.
 */
export function parseCompactJws(token: string, maxLength = MAX_LENGTH): CompactJws | undefined {
  if (token.length > maxLength || !SHAPE.test(token)) return undefined;
  const [header, payload, signature] = token.split('.') as [string, string, string];
  if (!isCanonical(signature)) return undefined;
  const jws = { header: parseObject(header), payload: parseObject(payload) };
  // Extensions we do not know must be refused (RFC 7515 §4.1.11), and JWTs need none that we know (RFC 7519 §3).
  if (!jws.header || !jws.payload || 'crit' in jws.header) return undefined;
  return { header: jws.header, payload: jws.payload };
}

function isCanonical(part: string): boolean {
  return Buffer.from(part, 'base64url').toString('base64url') === part;
}

function parseObject(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A NumericDate (RFC 7519 §2) that arithmetic is safe with. */
export function isNumericDate(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

export function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The media type in `typ`, of which `application/` may be left out (RFC 7515 §4.1.9), in any case. */
export function isOfType(header: Readonly<Record<string, unknown>>, type: string): boolean {
  const { typ } = header;
  if (typeof typ !== 'string') return false;
  return typ.toLowerCase().replace(/^application\//, '') === type;
}
