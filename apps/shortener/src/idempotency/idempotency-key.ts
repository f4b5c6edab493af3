import { createHash } from 'node:crypto';

const MAX_LENGTH = 255;
/** RFC 8941 §3.3.3: visible ASCII and the blank, with `"` and `\` escaped. */
const SF_STRING = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;
/** What most clients send instead: a UUID without quotes. */
const BARE = /^[!#-~]+$/;

/** Reads an Idempotency-Key, quoted or bare; undefined when it is neither, or has no or too much content. */
export function parseIdempotencyKey(field: string): string | undefined {
  const text = field.trim();
  const key = SF_STRING.exec(text)?.[1]?.replace(/\\(["\\])/g, '$1') ?? BARE.exec(text)?.[0];
  return key !== undefined && key.length > 0 && key.length <= MAX_LENGTH ? key : undefined;
}

/** Tells requests apart. Blanks and the order of members do not make another request. */
export function fingerprintOf(route: string, body: unknown): Buffer {
  return createHash('sha256')
    .update(`${route}\n${canonicalJson(body)}`)
    .digest();
}

function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
