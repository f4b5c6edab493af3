import { toCsv } from './link-csv.ts';
import type { LinkPresenter } from './link-presenter.ts';
import type { OwnedLinks } from './owned-links.service.ts';
import { decodePosition } from './page-position.ts';

const LINKS_AT_ONCE = 1_000;

export interface WrittenExport {
  readonly mediaType: string;
  readonly extension: string;
  readonly chunks: AsyncGenerator<string>;
}

/** Writes all links of an owner, page by page: memory stays small however many there are. */
export class LinkExport {
  constructor(
    private readonly owned: OwnedLinks,
    private readonly presenter: LinkPresenter,
  ) {}

  write(owner: string, format: 'csv' | 'json', now: Date): WrittenExport {
    return format === 'csv'
      ? {
          mediaType: 'text/csv; charset=utf-8',
          extension: 'csv',
          chunks: this.writeCsv(owner, now),
        }
      : { mediaType: 'application/json', extension: 'json', chunks: this.writeJson(owner, now) };
  }

  private async *writeCsv(owner: string, now: Date): AsyncGenerator<string> {
    let header = true;
    for await (const bodies of this.pages(owner, now)) {
      yield toCsv(bodies, { header });
      header = false;
    }
  }

  private async *writeJson(owner: string, now: Date): AsyncGenerator<string> {
    let lead = '{"items":[\n';
    for await (const bodies of this.pages(owner, now)) {
      if (bodies.length > 0) {
        yield lead + bodies.map((body) => JSON.stringify(body)).join(',\n');
        lead = ',\n';
      } else if (lead !== ',\n') yield lead;
    }
    yield '\n]}\n';
  }

  /** At least one page, though it be empty. */
  private async *pages(owner: string, now: Date) {
    let cursor: string | null = null;
    do {
      const { links, nextCursor } = await this.owned.listLinks({
        owner,
        after: cursor === null ? undefined : decodePosition(cursor),
        limit: LINKS_AT_ONCE,
        search: undefined,
      });
      yield links.map((link) => this.presenter.toBody(link, now));
      cursor = nextCursor;
    } while (cursor !== null);
  }
}
