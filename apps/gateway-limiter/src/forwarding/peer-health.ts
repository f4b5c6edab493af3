/** When a peer is put aside, and for how long. Times are milliseconds. */
export interface OutlierRule {
  readonly failures: number;
  readonly ejectionMs: number;
  readonly maxEjectionMs: number;
}

export interface ProbeRule {
  readonly unhealthyAfter: number;
  readonly healthyAfter: number;
}

/** What is known of a peer: from the traffic (passive) and from probes (active). */
export class PeerHealth {
  private failuresInARow = 0;
  private ejections = 0;
  private ejectedUntil = 0;
  private probesInARow = 0;
  private passesProbes = true;

  /** Do the probes reach it? True while there are none. */
  get isAlive(): boolean {
    return this.passesProbes;
  }

  isEjected(now: number): boolean {
    return now < this.ejectedUntil;
  }

  recordSuccess(): void {
    this.failuresInARow = 0;
    if (this.ejectedUntil === 0) return;
    // The first good answer after an ejection: the next one is shorter again.
    this.ejectedUntil = 0;
    this.ejections = Math.max(0, this.ejections - 1);
  }

  /** Returns true when the peer is put aside by this failure. `mayEject`: are enough others left? */
  recordFailure(now: number, rule: OutlierRule, mayEject: boolean): boolean {
    this.failuresInARow++;
    if (this.failuresInARow < rule.failures || !mayEject || this.isEjected(now)) return false;
    this.failuresInARow = 0;
    this.ejectedUntil =
      now + Math.min(rule.maxEjectionMs, rule.ejectionMs * 2 ** Math.min(this.ejections, 20));
    this.ejections++;
    return true;
  }

  /** Returns true when the verdict of the probes changed. */
  recordProbe(passed: boolean, rule: ProbeRule): boolean {
    if (passed === this.passesProbes) {
      this.probesInARow = 0;
      return false;
    }
    this.probesInARow++;
    if (this.probesInARow < (passed ? rule.healthyAfter : rule.unhealthyAfter)) return false;
    this.passesProbes = passed;
    this.probesInARow = 0;
    if (passed) this.ejectedUntil = 0;
    return true;
  }
}
