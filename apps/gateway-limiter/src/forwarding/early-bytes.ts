import type { Duplex } from 'node:stream';

/** More than this is not read ahead. */
const MOST_BYTES = 64 * 1024;

/**
 * What a client sends after the head of its upgrade and before that is decided. Reading it is also how one learns that
 * the client has left, for Node's server has let go of the connection, its errors included.
 */
export class EarlyBytes {
  private readonly parts: Buffer[];
  private length: number;

  constructor(
    private readonly socket: Duplex,
    first: Buffer,
  ) {
    this.parts = [first];
    this.length = first.length;
    socket.on('error', this.leave);
    socket.on('data', this.keep).on('end', this.leave);
  }

  /** Hands the bytes over and lets go of the connection, paused. */
  take(): Buffer {
    this.socket.off('data', this.keep).off('end', this.leave).pause();
    return Buffer.concat(this.parts);
  }

  private readonly keep = (part: Buffer): void => {
    this.parts.push(part);
    this.length += part.length;
    if (this.length > MOST_BYTES) this.socket.pause();
  };

  private readonly leave = (): void => void this.socket.destroy();
}
