import { Module } from '@nestjs/common';
import { PageSender } from './page-sender.service.ts';

/** What pages at protocol endpoints need; apart from the other pages, for it must not need the protocol. */
@Module({ providers: [PageSender], exports: [PageSender] })
export class PagesModule {}
