/** One thing that was asked of the system. Times are milliseconds of one monotonic clock. */
export interface Operation<Call, Outcome> {
  readonly call: Call;
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: Outcome;
}

/** What was asked, when, and what came of it, in the order of the answers. */
export class History<Call, Outcome> {
  readonly operations: Operation<Call, Outcome>[] = [];

  /** Does it and writes it down. `perform` answers for every end, failure included. */
  async record(call: Call, perform: () => Promise<Outcome>): Promise<Outcome> {
    const startMs = performance.now();
    const outcome = await perform();
    this.operations.push({ call, startMs, endMs: performance.now(), outcome });
    return outcome;
  }
}
