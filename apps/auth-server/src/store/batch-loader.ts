interface Waiting<T> {
  readonly key: string;
  readonly found: (value: T | undefined) => void;
  readonly failed: (error: unknown) => void;
}

/** Most keys one statement asks for. */
const LARGEST_BATCH = 100;

/**
 * Reads what is asked for at about the same time in one statement: a round trip costs more than the row it fetches, and requests
 * that arrive together ask together. Nothing is cached; every load reads.
 */
export class BatchLoader<T> {
  private waiting: Waiting<T>[] = [];
  private isScheduled = false;

  /** `read` finds what there is of the keys. */
  constructor(
    private readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
  ) {}

  load(key: string): Promise<T | undefined> {
    return new Promise((found, failed) => {
      this.waiting.push({ key, found, failed });
      if (this.isScheduled) return;
      this.isScheduled = true;
      setImmediate(() => {
        this.isScheduled = false;
        while (this.waiting.length > 0) void this.answer(this.waiting.splice(0, LARGEST_BATCH));
      });
    });
  }

  private async answer(batch: Waiting<T>[]): Promise<void> {
    try {
      const values = await this.read([...new Set(batch.map(({ key }) => key))]);
      for (const { key, found } of batch) found(values.get(key));
    } catch (error) {
      for (const { failed } of batch) failed(error);
    }
  }
}
