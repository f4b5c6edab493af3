/**
 * What this process knows of the store's clock: enough to tell the store until when an answer is of use. The
 * difference between the clocks is taken from each answer as "store's time − time of sending", which is never too
 * small and too large by no more than the way there; the smallest seen counts, and is let grow slowly for clocks drift.
 */
export class StoreClock {
  private offsetUs: number | undefined;

  /** A point in the store's time, or one it never reaches while its clock is unknown. */
  at(localUs: number): number {
    return this.offsetUs === undefined ? Number.MAX_SAFE_INTEGER : localUs + this.offsetUs;
  }

  learn(storeUs: number, sentAtUs: number): void {
    const sample = storeUs - sentAtUs;
    if (this.offsetUs === undefined || sample < this.offsetUs) this.offsetUs = sample;
    else this.offsetUs += (sample - this.offsetUs) * 0.02;
  }

  /** The clock jumped, as it does when another server takes over: forget the old one. */
  relearn(storeUs: number, sentAtUs: number): void {
    this.offsetUs = storeUs - sentAtUs;
  }
}
