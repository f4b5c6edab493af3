import type { ChangeLink } from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import type { InvalidationCourier } from '../redirect/invalidation-courier.ts';
import { isCode } from './code.ts';
import type { LinkRepository } from './link.repository.ts';
import type { Link } from './link.ts';
import { judgeChange, type LinkRules } from './link-draft.ts';
import type { OwnedLinkRepository, PageRequest } from './owned-link.repository.ts';
import { encodePosition } from './page-position.ts';
import { orStoreUnavailable } from './store-outage.ts';

/** What owners do with their links. Somebody else's link is as absent as one that never was. */
export class OwnedLinks {
  constructor(
    private readonly links: LinkRepository,
    private readonly owned: OwnedLinkRepository,
    private readonly courier: InvalidationCourier,
    private readonly rules: LinkRules,
  ) {}

  async readLink(code: string, owner: string): Promise<Link> {
    // What cannot be a code is not looked for: the database refuses some text, NUL for one.
    if (!isCode(code)) throw notFound();
    const link = await orStoreUnavailable(() => this.owned.findLink(code, owner));
    if (!link) throw notFound();
    return link;
  }

  async listLinks(request: PageRequest): Promise<{ links: Link[]; nextCursor: string | null }> {
    // One more than asked for tells whether there is a next page.
    const found = await orStoreUnavailable(() =>
      this.owned.findPage({ ...request, limit: request.limit + 1 }),
    );
    const links = found.slice(0, request.limit);
    const last = links.at(-1);
    return { links, nextCursor: found.length > links.length && last ? encodePosition(last) : null };
  }

  async changeLink(code: string, owner: string, input: ChangeLink, now: Date): Promise<Link> {
    const change = judgeChange(input, this.rules, now);
    if (!isCode(code)) throw notFound();
    const changed = await orStoreUnavailable(() => this.links.changeLink(code, owner, change, now));
    if (changed) {
      await this.courier.announce([changed.invalidation]);
      return changed.link;
    }
    await this.readLink(code, owner);
    throw new DomainError(
      'link-not-active',
      'The link has expired. Nothing brings it back; create a new one.',
    );
  }

  async removeLink(code: string, owner: string): Promise<void> {
    if (!isCode(code)) throw notFound();
    const removed = await orStoreUnavailable(() => this.links.removeLink(code, owner));
    if (!removed) throw notFound();
    await this.courier.announce([removed]);
  }
}

function notFound(): DomainError {
  return new DomainError('link-not-found', 'You have no link with this code.');
}
