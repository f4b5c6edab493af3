import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { POOL } from '../app.tokens.ts';

export type Topic = 'clients' | 'signing_keys';

/** Counters by which processes notice what another one changed. */
@Injectable()
export class ChangeMarksRepository {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  async read(): Promise<Map<Topic, string>> {
    const { rows } = await this.pool.query<{ topic: Topic; version: string }>({
      name: 'change-marks',
      text: 'SELECT topic, version FROM change_marks',
      values: [],
    });
    return new Map(rows.map(({ topic, version }) => [topic, version]));
  }
}
