import type { CreateLink } from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import type { LinkResolver } from '../redirect/link-resolver.ts';
import { codeLengthAt, generateCode, MAX_RETRIES } from './code.ts';
import { InsertBatches } from './insert-batches.ts';
import type { Executor, LinkRepository } from './link.repository.ts';
import type { Link, LinkDraft } from './link.ts';
import { judgeDraft, type LinkRules } from './link-draft.ts';
import { orStoreUnavailable } from './store-outage.ts';

export interface CreationSettings {
  readonly rules: LinkRules;
  readonly codeLength: number;
}

/** Makes links. `owner` is undefined for a caller without a token. */
export class LinkCreation {
  private readonly batches: InsertBatches;

  constructor(
    private readonly links: LinkRepository,
    private readonly resolver: LinkResolver,
    private readonly settings: CreationSettings,
  ) {
    this.batches = new InsertBatches((batch) => links.insertLinks(batch));
  }

  async createLink(
    input: CreateLink,
    owner: string | undefined,
    now: Date,
    on?: Executor,
  ): Promise<Link> {
    const draft = judgeDraft(input, this.settings.rules, now);
    return orStoreUnavailable(() => this.store(draft, owner, now, on));
  }

  /** The fate of each item, in order. An item that fails leaves the others alone. */
  async createLinks(
    inputs: readonly (CreateLink | DomainError)[],
    owner: string,
    now: Date,
    on?: Executor,
  ): Promise<(Link | DomainError)[]> {
    const results: (Link | DomainError | undefined)[] = new Array(inputs.length);
    const drafts = new Map<number, LinkDraft>();
    for (const [index, input] of inputs.entries()) {
      try {
        if (input instanceof DomainError) throw input;
        drafts.set(index, judgeDraft(input, this.settings.rules, now));
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
        results[index] = error;
      }
    }
    await orStoreUnavailable(() => this.storeAll(drafts, results, { owner, now, on }));
    return results as (Link | DomainError)[];
  }

  private async store(
    draft: LinkDraft,
    owner: string | undefined,
    now: Date,
    on?: Executor,
  ): Promise<Link> {
    for (let attempt = 0; attempt <= MAX_RETRIES + 1; attempt++) {
      const link = this.toLink(draft, owner, now, attempt);
      if (await this.insert(link, draft, on)) {
        this.resolver.forget(link.code);
        return link;
      }
      if (draft.alias !== undefined) throw aliasTaken(draft.alias);
    }
    throw outOfCodes();
  }

  private insert(link: Link, draft: LinkDraft, on: Executor | undefined): Promise<boolean> {
    return on || draft.alias !== undefined
      ? this.links.insertLink(link, on)
      : this.batches.insert(link);
  }

  /** One statement a round; a second round happens only for generated codes that collided. */
  private async storeAll(
    drafts: Map<number, LinkDraft>,
    results: (Link | DomainError | undefined)[],
    { owner, now, on }: { owner: string; now: Date; on: Executor | undefined },
  ): Promise<void> {
    for (let attempt = 0; drafts.size > 0 && attempt <= MAX_RETRIES + 1; attempt++) {
      const wanted = new Map<string, number>();
      const links: Link[] = [];
      for (const [index, draft] of drafts) {
        const link = this.toLink(draft, owner, now, attempt);
        if (wanted.has(link.code)) {
          // The same alias twice in one request: the first has it. (A generated one draws again.)
          if (draft.alias !== undefined) fail(index, aliasTaken(draft.alias));
          continue;
        }
        wanted.set(link.code, index);
        links.push(link);
      }
      const free = await this.links.insertLinks(links, on);
      for (const link of links) {
        const index = wanted.get(link.code) as number;
        const { alias } = drafts.get(index) as LinkDraft;
        if (free.has(link.code)) {
          this.resolver.forget(link.code);
          results[index] = link;
          drafts.delete(index);
        } else if (alias !== undefined) fail(index, aliasTaken(alias));
      }
    }
    for (const index of [...drafts.keys()]) fail(index, outOfCodes());

    function fail(index: number, error: DomainError): void {
      results[index] = error;
      drafts.delete(index);
    }
  }

  private toLink(draft: LinkDraft, owner: string | undefined, now: Date, attempt: number): Link {
    return {
      code: draft.alias ?? generateCode(codeLengthAt(attempt, this.settings.codeLength)),
      longUrl: draft.longUrl,
      owner,
      createdAt: now,
      expiresAt: draft.expiresAt,
      trackClicks: draft.trackClicks,
      version: 1,
      blockedReason: undefined,
      archivedAt: undefined,
    };
  }
}

function aliasTaken(alias: string): DomainError {
  return new DomainError(
    'alias-taken',
    `The alias ${alias} is taken. Codes are never given out twice.`,
    {
      errors: [{ pointer: '/customAlias', detail: 'is taken' }],
    },
  );
}

function outOfCodes(): DomainError {
  return new DomainError('service-unavailable', 'No free code was found. Try again.', {
    headers: { 'retry-after': '1' },
  });
}
