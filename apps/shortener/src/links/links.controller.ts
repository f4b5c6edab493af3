import {
  type ChangeLink,
  changeLink,
  type LinkBody,
  type LinkListQuery,
  type LinkPage,
  linkListQuery,
} from '@gatepost/contracts';
import { AccessTokenGuard, Caller, RequireScopes, type TokenCaller } from '@gatepost/token-guard';
import {
  Body,
  Controller,
  Delete,
  Get,
  Header,
  HttpCode,
  Param,
  Patch,
  Query,
  UseGuards,
} from '@nestjs/common';
import { invalidInput } from './invalid-input.ts';
import { LinkPresenter } from './link-presenter.ts';
import { OwnedLinks } from './owned-links.service.ts';
import { decodePosition, type PagePosition } from './page-position.ts';

/** The caller's own links. */
@Controller('links')
@UseGuards(AccessTokenGuard)
export class LinksController {
  constructor(
    private readonly owned: OwnedLinks,
    private readonly presenter: LinkPresenter,
  ) {}

  @Get()
  @RequireScopes('links:read')
  @Header('cache-control', 'no-store')
  async list(
    @Query({ schema: linkListQuery }) query: LinkListQuery,
    @Caller() { owner }: TokenCaller,
  ): Promise<LinkPage> {
    const { links, nextCursor } = await this.owned.listLinks({
      owner,
      after: query.cursor === undefined ? undefined : positionOf(query.cursor),
      limit: query.limit,
      search: query.q,
    });
    const now = new Date();
    return { items: links.map((link) => this.presenter.toBody(link, now)), nextCursor };
  }

  @Get(':code')
  @RequireScopes('links:read')
  @Header('cache-control', 'no-store')
  async read(@Param('code') code: string, @Caller() { owner }: TokenCaller): Promise<LinkBody> {
    return this.presenter.toBody(await this.owned.readLink(code, owner), new Date());
  }

  @Patch(':code')
  @RequireScopes('links:write')
  @Header('cache-control', 'no-store')
  async change(
    @Param('code') code: string,
    @Body({ schema: changeLink }) body: ChangeLink,
    @Caller() { owner }: TokenCaller,
  ): Promise<LinkBody> {
    const now = new Date();
    return this.presenter.toBody(await this.owned.changeLink(code, owner, body, now), now);
  }

  @Delete(':code')
  @RequireScopes('links:write')
  @HttpCode(204)
  async remove(@Param('code') code: string, @Caller() { owner }: TokenCaller): Promise<void> {
    await this.owned.removeLink(code, owner);
  }
}

function positionOf(cursor: string): PagePosition {
  const position = decodePosition(cursor);
  if (!position) throw invalidInput([{ path: ['cursor'], message: 'is not a cursor of ours' }]);
  return position;
}
