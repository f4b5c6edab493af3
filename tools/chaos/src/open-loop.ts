/**
 * Asks at a steady rate whether or not answers come. What is late is asked at once, and told when it was due: a stall
 * that kept questions from being asked is not hidden by that.
 */
export class OpenLoop {
  private readonly outstanding = new Set<Promise<void>>();
  private readonly began = performance.now();
  private asked = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly perSecond: number,
    private readonly ask: (number: number, dueMs: number) => Promise<void>,
  ) {
    this.timer = setInterval(() => this.askWhatIsDue(), 2);
  }

  /** Asks no more, and waits for what is under way. */
  async stop(): Promise<void> {
    clearInterval(this.timer);
    await Promise.all(this.outstanding);
  }

  private askWhatIsDue(): void {
    const due = ((performance.now() - this.began) * this.perSecond) / 1_000;
    while (this.asked < due) {
      const number = this.asked++;
      const dueMs = this.began + (number * 1_000) / this.perSecond;
      const asking = this.ask(number, dueMs).finally(() => this.outstanding.delete(asking));
      this.outstanding.add(asking);
    }
  }
}
