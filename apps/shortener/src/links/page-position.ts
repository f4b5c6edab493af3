import { isCode } from './code.ts';

/** Where a page ended. */
export interface PagePosition {
  readonly createdAt: Date;
  readonly code: string;
}

/** Opaque to callers; nothing in it is secret, and a made-up one only moves within the caller's own links. */
export function encodePosition({ createdAt, code }: PagePosition): string {
  return Buffer.from(`${createdAt.getTime().toString(36)}.${code}`).toString('base64url');
}

export function decodePosition(cursor: string): PagePosition | undefined {
  const [time = '', code = '', ...rest] = Buffer.from(cursor, 'base64url').toString().split('.');
  const createdAt = new Date(Number.parseInt(time, 36));
  // The database knows no such times as the largest negative ones, and we had no links before 1970.
  if (rest.length > 0 || !isCode(code) || !(createdAt.getTime() >= 0)) return undefined;
  return { createdAt, code };
}
