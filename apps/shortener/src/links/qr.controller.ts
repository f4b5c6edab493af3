import { AccessTokenGuard, Caller, RequireScopes, type TokenCaller } from '@gatepost/token-guard';
import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import QRCode from 'qrcode';
import { invalidInput } from './invalid-input.ts';
import { LinkPresenter } from './link-presenter.ts';
import { OwnedLinks } from './owned-links.service.ts';

/** 15 % of a printed code may be dirty; the quiet zone is the four modules that ISO/IEC 18004 asks for. */
const QR = { errorCorrectionLevel: 'M', margin: 4 } as const;
const PNG_MODULE_PIXELS = 12;

/** QR code of a short URL. */
@Controller('links')
@UseGuards(AccessTokenGuard)
export class QrController {
  constructor(
    private readonly owned: OwnedLinks,
    private readonly presenter: LinkPresenter,
  ) {}

  @Get(':code/qr')
  @RequireScopes('links:read')
  async draw(
    @Param('code') code: string,
    @Query('format') format: string | undefined,
    @Caller() { owner }: TokenCaller,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (format && format !== 'svg' && format !== 'png')
      throw invalidInput([{ path: ['format'], message: 'must be svg or png' }]);
    await this.owned.readLink(code, owner);
    const shortUrl = this.presenter.shortUrlOf(code);
    // The short URL of a code never changes, but only its owner may ask.
    reply.header('cache-control', 'private, max-age=86400');
    if (format === 'png')
      reply
        .header('content-type', 'image/png')
        .send(await QRCode.toBuffer(shortUrl, { ...QR, type: 'png', scale: PNG_MODULE_PIXELS }));
    else
      reply
        .header('content-type', 'image/svg+xml')
        .send(await QRCode.toString(shortUrl, { ...QR, type: 'svg' }));
  }
}
