import type { ArchivedLink, Link as StoredLink } from '../generated/client.ts';
import type { PrismaService } from '../prisma.service.ts';
import type { Link } from './link.ts';
import type { PagePosition } from './page-position.ts';

export interface PageRequest {
  readonly owner: string;
  /** The last link of the page before; undefined: from the newest. */
  readonly after: PagePosition | undefined;
  readonly limit: number;
  /** Text that code or destination contain. */
  readonly search: string | undefined;
}

/** What owners see: their links, archived ones included. */
export class OwnedLinkRepository {
  constructor(private readonly prisma: PrismaService) {}

  async findLink(code: string, owner: string): Promise<Link | undefined> {
    const link = await this.prisma.link.findFirst({ where: { code, owner } });
    if (link) return toLink(link);
    const archived = await this.prisma.archivedLink.findFirst({ where: { code, owner } });
    return archived ? toLink(archived) : undefined;
  }

  /** Newest first. */
  async findPage(request: PageRequest): Promise<Link[]> {
    const query = {
      where: whereOf(request),
      orderBy: [{ createdAt: 'desc' as const }, { code: 'desc' as const }],
      take: request.limit,
    };
    // In this order the nightly job can show a link twice, which is seen below, but never hide one between the two reads.
    const live = await this.prisma.link.findMany(query);
    const archived = await this.prisma.archivedLink.findMany(query);
    return mergeNewestFirst(live.map(toLink), archived.map(toLink)).slice(0, request.limit);
  }
}

function whereOf({ owner, after, search }: PageRequest) {
  const pattern = search === undefined ? undefined : contains(search);
  return {
    owner,
    AND: [
      after
        ? {
            // Implied by the alternatives, but only this bound lets the index begin where the page does.
            createdAt: { lte: after.createdAt },
            OR: [
              { createdAt: { lt: after.createdAt } },
              { createdAt: after.createdAt, code: { lt: after.code } },
            ],
          }
        : {},
      pattern ? { OR: [{ longUrl: pattern }, { code: pattern }] } : {},
    ],
  };
}

/** Prisma hands the text to ILIKE as it is, so the wildcards of LIKE have to be taken for themselves. */
function contains(text: string) {
  return { contains: text.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' as const };
}

/** The archived form counts where a link is in both lists. */
export function mergeNewestFirst(live: readonly Link[], archived: readonly Link[]): Link[] {
  const archivedCodes = new Set(archived.map(({ code }) => code));
  return [...live.filter(({ code }) => !archivedCodes.has(code)), ...archived].sort(
    (a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.code < b.code ? 1 : -1),
  );
}

function toLink(row: StoredLink | ArchivedLink): Link {
  return {
    code: row.code,
    longUrl: row.longUrl,
    owner: row.owner ?? undefined,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt ?? undefined,
    trackClicks: row.trackClicks,
    version: row.version,
    blockedReason: row.blockedReason ?? undefined,
    archivedAt: 'archivedAt' in row ? row.archivedAt : undefined,
  };
}
