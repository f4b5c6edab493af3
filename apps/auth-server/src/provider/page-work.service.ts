import { Injectable } from '@nestjs/common';
import { RecordsRepository } from '../store/records.repository.ts';
import type { RequestWork } from '../store/request-work.ts';
import { withinPage } from './request-works.ts';

/** The work of pages on an interaction: read in one statement, written in one. */
@Injectable()
export class PageWork {
  constructor(private readonly records: RecordsRepository) {}

  /** What the library reads and writes in `action` goes through `work`. */
  within<T>(work: RequestWork, action: () => Promise<T>): Promise<T> {
    return withinPage(work, action);
  }

  /** Writes what was changed of an interaction and what goes with it; false when it has ended meanwhile. */
  write(work: RequestWork): Promise<boolean> {
    return this.records.writeInteraction(work.rows, work.consent);
  }
}
