import type { ChangeLink, CreateLink } from '@gatepost/contracts';
import { DomainError, type ProblemCode } from '@gatepost/problem-details';
import { aliasFault } from './code.ts';
import { type DestinationRules, parseDestination } from './destination.ts';
import { parseExpiry } from './expiry.ts';
import type { LinkChange, LinkDraft } from './link.ts';

export interface LinkRules {
  readonly destination: DestinationRules;
  /** Why a serialised URL is on a blocklist, or undefined. */
  readonly findOnBlocklist: (longUrl: string) => string | undefined;
}

/** Judges what POST /shorten was given, in the order of the cost; throws the first fault. */
export function judgeDraft(input: CreateLink, rules: LinkRules, now: Date): LinkDraft {
  const alias = input.customAlias ?? undefined;
  const fault = alias === undefined ? undefined : aliasFault(alias);
  if (fault) throw invalid('invalid-alias', '/customAlias', fault);
  return {
    alias,
    longUrl: judgeLongUrl(input.longUrl, rules),
    expiresAt: input.expiresAt == null ? undefined : judgeExpiry(input.expiresAt, now),
    trackClicks: input.trackClicks ?? true,
  };
}

/** Judges what PATCH was given; an absent member stays absent. */
export function judgeChange(input: ChangeLink, rules: LinkRules, now: Date): LinkChange {
  return {
    longUrl: input.longUrl === undefined ? undefined : judgeLongUrl(input.longUrl, rules),
    expiresAt: input.expiresAt == null ? input.expiresAt : judgeExpiry(input.expiresAt, now),
    trackClicks: input.trackClicks,
  };
}

function judgeLongUrl(text: string, rules: LinkRules): string {
  const destination = parseDestination(text, rules.destination);
  if (!destination.ok) throw invalid('invalid-url', '/longUrl', destination.fault);
  const { href } = destination.url;
  const blocked = rules.findOnBlocklist(href);
  if (blocked)
    throw new DomainError('destination-blocklisted', blocked, {
      errors: [{ pointer: '/longUrl', detail: blocked }],
    });
  return href;
}

function judgeExpiry(text: string, now: Date): Date {
  const expiry = parseExpiry(text, now);
  if (!expiry.ok) throw invalid('invalid-expiry', '/expiresAt', expiry.fault);
  return expiry.expiresAt;
}

function invalid(code: ProblemCode, pointer: string, fault: string): DomainError {
  return new DomainError(code, `${pointer.slice(1)} ${fault}.`, {
    errors: [{ pointer, detail: fault }],
  });
}
