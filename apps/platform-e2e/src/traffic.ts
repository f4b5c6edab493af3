export interface TrafficReport {
  readonly answered: number;
  /** What was not answered as it should be, each in a few words. */
  readonly failed: readonly string[];
}

/** The same work over and over, by several at once, until it is stopped. `work` throws where something was wrong. */
export class Traffic {
  private answered = 0;
  private readonly failed: string[] = [];
  private isStopping = false;
  private readonly ended: Promise<unknown>;

  constructor(atOnce: number, work: () => Promise<void>) {
    this.ended = Promise.all(Array.from({ length: atOnce }, () => this.repeat(work)));
  }

  /** How much has been done so far. */
  get soFar(): number {
    return this.answered;
  }

  async stop(): Promise<TrafficReport> {
    this.isStopping = true;
    await this.ended;
    return { answered: this.answered, failed: this.failed };
  }

  private async repeat(work: () => Promise<void>): Promise<void> {
    while (!this.isStopping) {
      try {
        await work();
        this.answered += 1;
      } catch (error) {
        this.failed.push((error as Error).message);
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}
