import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Purge } from '../maintenance/purge.service.ts';
import { AccessRepository } from './access.repository.ts';
import { AttemptsRepository } from './attempts.repository.ts';

/** Tells the purge which rows of this room grow old. */
@Injectable()
export class AccountsPurge implements OnModuleInit {
  constructor(
    private readonly purge: Purge,
    private readonly attempts: AttemptsRepository,
    private readonly access: AccessRepository,
  ) {}

  onModuleInit(): void {
    this.purge.add({ name: 'attempts', run: (limit) => this.attempts.purge(limit) });
    this.purge.add({ name: 'session_places', run: (limit) => this.access.purgePlaces(limit) });
  }
}
