import { type CreateLink, createLink, type LinkBody } from '@gatepost/contracts';
import {
  AccessTokenGuard,
  Caller,
  OptionalAccessToken,
  RequireScopes,
  type TokenCaller,
  tokenMissing,
} from '@gatepost/token-guard';
import { Body, Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IdempotentRequests } from '../idempotency/idempotent-requests.service.ts';
import { LinkCreation } from './link-creation.service.ts';
import { LinkPresenter } from './link-presenter.ts';
import { keyFieldOf } from './repeatable.ts';

/** Whether a link may be made without a token. */
export class CreationPolicy {
  constructor(readonly anonymousAllowed: boolean) {}
}

@Controller('shorten')
@UseGuards(AccessTokenGuard)
export class ShortenController {
  constructor(
    private readonly creation: LinkCreation,
    private readonly presenter: LinkPresenter,
    private readonly idempotent: IdempotentRequests,
    private readonly policy: CreationPolicy,
  ) {}

  @Post()
  @OptionalAccessToken()
  @RequireScopes('links:write')
  async shorten(
    @Body({ schema: createLink }) body: CreateLink,
    @Caller() caller: TokenCaller | undefined,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<LinkBody> {
    if (!caller && !this.policy.anonymousAllowed) throw tokenMissing();
    const now = new Date();
    const answer = await this.idempotent.perform(
      {
        keyField: keyFieldOf(request),
        caller: caller?.owner ?? `ip:${request.ip}`,
        route: 'POST /shorten',
        body,
      },
      async (transaction) => ({
        status: 201,
        body: this.presenter.toBody(
          await this.creation.createLink(body, caller?.owner, now, transaction),
          now,
        ),
      }),
    );
    const link = answer.body as LinkBody;
    reply.code(answer.status).header('location', link.shortUrl).header('cache-control', 'no-store');
    return link;
  }
}
