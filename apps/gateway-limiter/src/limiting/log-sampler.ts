/**
 * Lets through so many lines a second; beyond that one in `oneIn`, and every line tells how many were left out before
 * it, so that sums stay right.
 */
export class LogSampler {
  private second = 0;
  private lines = 0;
  private leftOut = 0;

  constructor(
    private readonly linesPerSecond: number,
    private readonly oneIn: number,
  ) {}

  /** Undefined: leave this line out. Else the number of lines left out since the last one. */
  admit(nowMs: number): number | undefined {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.second) {
      this.second = second;
      this.lines = 0;
    }
    this.lines++;
    const over = this.lines - this.linesPerSecond;
    if (over > 0 && over % this.oneIn !== 0) {
      this.leftOut++;
      return undefined;
    }
    const leftOut = this.leftOut;
    this.leftOut = 0;
    return leftOut;
  }
}
