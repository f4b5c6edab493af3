import { type BulkCreate, type BulkResults, bulkCreate, createLink } from '@gatepost/contracts';
import { AccessTokenGuard, Caller, RequireScopes, type TokenCaller } from '@gatepost/token-guard';
import { Body, Controller, Header, HttpCode, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { IdempotentRequests } from '../idempotency/idempotent-requests.service.ts';
import { invalidInput } from './invalid-input.ts';
import { toItemResult } from './item-result.ts';
import { LinkCreation } from './link-creation.service.ts';
import { LinkPresenter } from './link-presenter.ts';
import { keyFieldOf } from './repeatable.ts';

/** Up to 100 links in one request. */
@Controller('links/bulk')
@UseGuards(AccessTokenGuard)
export class BulkController {
  constructor(
    private readonly creation: LinkCreation,
    private readonly presenter: LinkPresenter,
    private readonly idempotent: IdempotentRequests,
  ) {}

  @Post()
  @HttpCode(200)
  @RequireScopes('links:write')
  @Header('cache-control', 'no-store')
  async create(
    @Body({ schema: bulkCreate }) body: BulkCreate,
    @Caller() { owner }: TokenCaller,
    @Req() request: FastifyRequest,
  ): Promise<BulkResults> {
    const now = new Date();
    const answer = await this.idempotent.perform(
      { keyField: keyFieldOf(request), caller: owner, route: 'POST /links/bulk', body },
      async (transaction) => {
        const items = body.items.map((item) => {
          const parsed = createLink.safeParse(item);
          return parsed.success ? parsed.data : invalidInput(parsed.error.issues);
        });
        const outcomes = await this.creation.createLinks(items, owner, now, transaction);
        const results = outcomes.map((outcome) =>
          toItemResult(outcome, { presenter: this.presenter, request, now }),
        );
        return { status: 200, body: { results } };
      },
    );
    return answer.body as BulkResults;
  }
}
