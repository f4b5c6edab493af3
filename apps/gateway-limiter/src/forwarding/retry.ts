/** Methods that may be sent twice (RFC 9110 §9.2.2). */
const IDEMPOTENT: ReadonlySet<string> = new Set([
  'GET',
  'HEAD',
  'OPTIONS',
  'TRACE',
  'PUT',
  'DELETE',
  'PROPFIND',
  'REPORT',
  'SEARCH',
  'QUERY',
]);

/**
 * A second attempt is safe when the first was never sent, for then nothing of its body was read either; or when sending
 * twice is the same as once and there is no body, whose beginning would be gone.
 */
export function isSafeToRetry(request: {
  readonly method: string;
  readonly hasBody: boolean;
  readonly wasSent: boolean;
}): boolean {
  return !request.wasSent || (!request.hasBody && IDEMPOTENT.has(request.method));
}

/**
 * Second attempts are paid for by first ones, one for ten: when everything fails, retries add a tenth to the load
 * instead of doubling it.
 */
export class RetryBudget {
  private saved: number;

  constructor(
    private readonly perRequest = 0.1,
    private readonly most = 20,
  ) {
    this.saved = most;
  }

  recordRequest(): void {
    if (this.saved < this.most) this.saved = Math.min(this.most, this.saved + this.perRequest);
  }

  /** Takes one retry if it can be afforded. */
  take(): boolean {
    // Tenths do not add up to a whole in binary.
    if (this.saved < 1 - 1e-9) return false;
    this.saved -= 1;
    return true;
  }
}
