import { Readable } from 'node:stream';
import { type BulkResults, type CreateLink, IMPORT_LIMIT, importRow } from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import { AccessTokenGuard, Caller, RequireScopes, type TokenCaller } from '@gatepost/token-guard';
import {
  Body,
  Controller,
  Get,
  Header,
  HttpCode,
  Post,
  Query,
  Req,
  Res,
  UseGuards,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IdempotentRequests } from '../idempotency/idempotent-requests.service.ts';
import { invalidInput } from './invalid-input.ts';
import { toItemResult } from './item-result.ts';
import { LinkCreation } from './link-creation.service.ts';
import { parseCsv } from './link-csv.ts';
import { LinkExport } from './link-export.service.ts';
import { LinkPresenter } from './link-presenter.ts';
import { keyFieldOf } from './repeatable.ts';

/** Rows that go to the database in one statement. */
const ROWS_AT_ONCE = 500;

/** All of the owner's links, out and in. */
@Controller('links')
@UseGuards(AccessTokenGuard)
export class TransferController {
  constructor(
    private readonly creation: LinkCreation,
    private readonly exports: LinkExport,
    private readonly presenter: LinkPresenter,
    private readonly idempotent: IdempotentRequests,
  ) {}

  @Get('export')
  @RequireScopes('links:read')
  async export(
    @Query('format') format: string | undefined,
    @Caller() { owner }: TokenCaller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { mediaType, extension, chunks } = this.exports.write(
      owner,
      formatOf(format),
      new Date(),
    );
    // The first page is read before anything is sent: a store that is away is then still a 503.
    const first = await chunks.next();
    const rest = async function* () {
      if (!first.done) yield first.value;
      yield* chunks;
    };
    reply
      .header('content-type', mediaType)
      .header('content-disposition', `attachment; filename="links.${extension}"`)
      .header('cache-control', 'no-store')
      .send(Readable.from(rest()));
  }

  @Post('import')
  @HttpCode(200)
  @RequireScopes('links:write')
  @Header('cache-control', 'no-store')
  async import(
    @Body() body: unknown,
    @Caller() { owner }: TokenCaller,
    @Req() request: FastifyRequest,
  ): Promise<BulkResults> {
    const rows = rowsOf(body);
    const now = new Date();
    const answer = await this.idempotent.perform(
      { keyField: keyFieldOf(request), caller: owner, route: 'POST /links/import', body },
      async (transaction) => {
        const results = [];
        for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
          const items = rows.slice(start, start + ROWS_AT_ONCE).map(toCreateLink);
          for (const outcome of await this.creation.createLinks(items, owner, now, transaction))
            results.push(toItemResult(outcome, { presenter: this.presenter, request, now }));
        }
        return { status: 200, body: { results } };
      },
    );
    return answer.body as BulkResults;
  }
}

function formatOf(format: string | undefined): 'csv' | 'json' {
  if (format === undefined || format === '' || format === 'json') return 'json';
  if (format === 'csv') return 'csv';
  throw invalidInput([{ path: ['format'], message: 'must be csv or json' }]);
}

/** CSV, `{ items: […] }`, or the list alone. */
function rowsOf(body: unknown): unknown[] {
  const rows =
    typeof body === 'string' ? parseCsv(body) : Array.isArray(body) ? body : itemsOf(body);
  if (!Array.isArray(rows) || rows.length === 0)
    throw invalidInput([{ path: ['items'], message: 'must hold at least one link' }]);
  if (rows.length > IMPORT_LIMIT)
    throw invalidInput([{ path: ['items'], message: `must hold at most ${IMPORT_LIMIT} links` }]);
  return rows;
}

function itemsOf(body: unknown): unknown {
  if (typeof body !== 'object' || body === null)
    throw invalidInput([{ message: 'must be an object or a list' }]);
  const { items, ...others } = body as Record<string, unknown>;
  const keys = Object.keys(others);
  if (keys.length > 0) throw invalidInput([{ message: 'is not known', keys }]);
  return items;
}

function toCreateLink(row: unknown): CreateLink | DomainError {
  const parsed = importRow.safeParse(row);
  if (!parsed.success) return invalidInput(parsed.error.issues);
  const { longUrl, customAlias, code, expiresAt, trackClicks } = parsed.data;
  return {
    longUrl,
    customAlias: customAlias ?? code,
    expiresAt,
    ...(trackClicks === undefined ? {} : { trackClicks }),
  };
}
