import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export class BodyTooLarge extends Error {}
export class BodyTooSlow extends Error {}
/** Whatever ends a body early on the client's side; never the upstream's fault. */
export class ClientLeft extends Error {}

/**
 * The body of a request on its way upstream, with its limits. It stands between the two connections because an
 * upstream that answers early ends the body stream, and that must not end the client's connection, which still has
 * to carry the answer.
 */
export class RequestBody extends Readable {
  private received = 0;
  private isStarted = false;
  private idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly request: IncomingMessage,
    private readonly limits: { readonly maxBytes: number; readonly idleMs: number },
  ) {
    super({ highWaterMark: 64 * 1024 });
  }

  override _read(): void {
    // Only while the upstream wants more: a slow upstream is not the client's fault.
    this.idle ??= setTimeout(() => this.destroy(new BodyTooSlow()), this.limits.idleMs);
    if (this.isStarted) {
      this.request.resume();
      return;
    }
    this.isStarted = true;
    this.request.on('data', this.receive).on('end', this.finish);
    this.request.on('error', this.fail).on('close', this.breakOff);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.idle);
    this.request.off('data', this.receive).off('end', this.finish).off('close', this.breakOff);
    callback(error);
  }

  private readonly receive = (chunk: Buffer): void => {
    this.received += chunk.length;
    const { maxBytes } = this.limits;
    if (maxBytes > 0 && this.received > maxBytes) {
      this.destroy(new BodyTooLarge());
      return;
    }
    this.idle?.refresh();
    if (this.push(chunk)) return;
    clearTimeout(this.idle);
    this.idle = undefined;
    this.request.pause();
  };

  private readonly finish = (): void => {
    clearTimeout(this.idle);
    this.push(null);
  };

  private readonly fail = (): void => void this.destroy(new ClientLeft());

  private readonly breakOff = (): void => {
    if (!this.request.complete) this.destroy(new ClientLeft());
  };
}
