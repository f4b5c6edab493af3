import type { RecordedClick } from './click.ts';
import type { ClickDelivery } from './outbox-click-sink.ts';

/** What counts clicks in this process: the same that the worker counts with. */
export interface CountClicks {
  count(clicks: readonly RecordedClick[]): Promise<unknown>;
}

/** Where there is no Kafka, each batch is counted here. A batch whose answer was lost is sent again, and refused by its ids. */
export class InProcessClickDelivery implements ClickDelivery {
  constructor(private readonly rollup: CountClicks) {}

  readonly deliver = async (clicks: readonly RecordedClick[]): Promise<void> => {
    await this.rollup.count(clicks);
  };

  async close(): Promise<void> {
    // The database is the app's to close.
  }
}
