interface Waiting<T, R> {
  readonly item: T;
  readonly done: (result: R) => void;
  readonly failed: (error: unknown) => void;
}

/** Most items one group takes. */
const LARGEST_GROUP = 200;

/** A group of this size means load; the next one waits so long that it becomes larger. */
const BUSY_GROUP = 4;
const PAUSE_MS = 2;

/**
 * Writes what is added at about the same time in one statement. Whoever adds waits until his item is written, so nothing is
 * answered that could be lost; while a group is being written the next one gathers, and under load a statement is shared by many.
 */
export class GroupCommit<T, R = undefined> {
  private gathering: Waiting<T, R>[] = [];
  private isScheduled = false;
  private writing = 0;
  private isBusy = false;

  /** `write` writes a group and returns what became of each item, or throws and has written none. */
  constructor(
    private readonly write: (items: readonly T[]) => Promise<[R] extends [undefined] ? void : R[]>,
    private readonly parallel = 2,
  ) {}

  add(item: T): Promise<R> {
    return new Promise((done, failed) => {
      this.gathering.push({ item, done, failed });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.isScheduled || this.writing >= this.parallel || this.gathering.length === 0) return;
    this.isScheduled = true;
    const begin = () => {
      this.isScheduled = false;
      void this.flush(this.gathering.splice(0, LARGEST_GROUP));
    };
    // After the events of this turn: requests that arrived together share a group. Under load a moment longer, for more of them.
    if (this.isBusy) setTimeout(begin, PAUSE_MS);
    else setImmediate(begin);
  }

  private async flush(group: Waiting<T, R>[]): Promise<void> {
    this.writing++;
    this.isBusy = group.length >= BUSY_GROUP;
    try {
      const results = (await this.write(group.map(({ item }) => item))) as R[] | undefined;
      group.forEach(({ done }, index) => {
        done(results?.[index] as R);
      });
    } catch (error) {
      for (const { failed } of group) failed(error);
    } finally {
      this.writing--;
      this.schedule();
    }
  }
}
