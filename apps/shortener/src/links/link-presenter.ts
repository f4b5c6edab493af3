import type { LinkBody } from '@gatepost/contracts';
import { type Link, stateOf } from './link.ts';
import type { LinkRules } from './link-draft.ts';

/** Shows links the way callers see them. */
export class LinkPresenter {
  constructor(private readonly rules: LinkRules) {}

  shortUrlOf(code: string): string {
    return `${this.rules.destination.publicUrl}/${code}`;
  }

  toBody(link: Link, now: Date): LinkBody {
    const blockedReason = link.blockedReason ?? this.rules.findOnBlocklist(link.longUrl);
    const state = stateOf(link, blockedReason, now);
    return {
      code: link.code,
      shortUrl: this.shortUrlOf(link.code),
      longUrl: link.longUrl,
      createdAt: link.createdAt.toISOString(),
      expiresAt: link.expiresAt?.toISOString() ?? null,
      trackClicks: link.trackClicks,
      state,
      ...(state === 'blocked' && blockedReason !== undefined ? { blockedReason } : {}),
    };
  }
}
