import { Injectable } from '@nestjs/common';
import { RecordReadsRepository } from './record-reads.repository.ts';
import { RecordsRepository } from './records.repository.ts';

/** Both sides of the protocol store. */
@Injectable()
export class RecordStore {
  constructor(
    readonly reads: RecordReadsRepository,
    readonly records: RecordsRepository,
  ) {}
}
