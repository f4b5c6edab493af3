import { isUnreachable } from '@gatepost/postgres';
import { DomainError } from '@gatepost/problem-details';
import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  POLL_SECONDS,
  type PublishedList,
  StatusListPublisher,
} from './status-list-publisher.service.ts';

/** The status of access tokens, for resource servers that check signatures locally. Public: a bit says nothing without its token. */
@Controller('auth/status-lists')
export class StatusListsController {
  constructor(private readonly publisher: StatusListPublisher) {}

  @Get(':id')
  async show(
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const list = /^[\w-]{8,32}$/.test(id) ? await this.find(id) : undefined;
    if (!list) throw new DomainError('not-found', 'There is no such status list.');
    void reply
      .header('etag', list.etag)
      .header('cache-control', `public, max-age=${POLL_SECONDS}`)
      .header('access-control-allow-origin', '*')
      .header('vary', 'accept-encoding');
    const known = request.headers['if-none-match'];
    if (known?.split(',').some((etag) => etag.trim().replace(/^W\//, '') === list.etag))
      void reply.code(304).send();
    else void reply.header('content-type', 'application/statuslist+jwt').send(list.token);
  }

  /** "Not found" would let a resource server think that nothing is revoked; only the database can say so. */
  private async find(id: string): Promise<PublishedList | undefined> {
    try {
      return await this.publisher.publish(id, new Date());
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      throw new DomainError('store-unavailable', 'The status of tokens cannot be read right now.', {
        headers: { 'retry-after': '1' },
        cause: error,
      });
    }
  }
}
