import { type LinkStats, type StatsQuery, statsQuery } from '@gatepost/contracts';
import { AccessTokenGuard, Caller, RequireScopes, type TokenCaller } from '@gatepost/token-guard';
import { Controller, Get, Header, Param, Query, UseGuards } from '@nestjs/common';
import { OwnedLinks } from '../links/owned-links.service.ts';
import { LinkStatistics } from './link-statistics.service.ts';

/** What became of the caller's own links. */
@Controller('links')
@UseGuards(AccessTokenGuard)
export class StatsController {
  constructor(
    private readonly owned: OwnedLinks,
    private readonly statistics: LinkStatistics,
  ) {}

  @Get(':code/stats')
  @RequireScopes('links:read')
  @Header('cache-control', 'no-store')
  async read(
    @Param('code') code: string,
    @Query({ schema: statsQuery }) query: StatsQuery,
    @Caller() { owner }: TokenCaller,
  ): Promise<LinkStats> {
    await this.owned.readLink(code, owner);
    return this.statistics.read(code, query, Date.now());
  }
}
