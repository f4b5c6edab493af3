import type { LinkState } from '@gatepost/contracts';

/** A link as it is stored. */
export interface Link {
  readonly code: string;
  readonly longUrl: string;
  /** `user:<sub>`, `client:<client_id>`, or undefined where nobody signed in. */
  readonly owner: string | undefined;
  readonly createdAt: Date;
  readonly expiresAt: Date | undefined;
  readonly trackClicks: boolean;
  /** Grows with each change. */
  readonly version: number;
  /** Why a scan or an operator blocked it. */
  readonly blockedReason: string | undefined;
  /** Set by the nightly job. */
  readonly archivedAt: Date | undefined;
}

/** What a caller asked for, judged and ready to be stored. */
export interface LinkDraft {
  readonly longUrl: string;
  /** Undefined: draw one. */
  readonly alias: string | undefined;
  readonly expiresAt: Date | undefined;
  readonly trackClicks: boolean;
}

/** What an owner wants changed; undefined stays as it is. */
export interface LinkChange {
  readonly longUrl: string | undefined;
  /** Null: never expires. */
  readonly expiresAt: Date | null | undefined;
  readonly trackClicks: boolean | undefined;
}

export function isExpired(expiresAt: Date | undefined, now: Date): boolean {
  return expiresAt !== undefined && expiresAt.getTime() <= now.getTime();
}

/** `blockedReason` is the stored one or the blocklist's. An expired link is expired, blocked or not: it answers 404. */
export function stateOf(
  link: Pick<Link, 'expiresAt' | 'archivedAt'>,
  blockedReason: string | undefined,
  now: Date,
): LinkState {
  if (link.archivedAt) return 'archived';
  if (isExpired(link.expiresAt, now)) return 'expired';
  return blockedReason === undefined ? 'active' : 'blocked';
}
