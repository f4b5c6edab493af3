/**
 * Memory that is written from front to back and used again: a buffer that grows as needed and then stays. Buffers of this
 * size made anew forty times a second cost more in garbage collection than all that is written into them.
 */
export class Arena {
  buffer = Buffer.allocUnsafe(64 * 1024);
  /** Bytes in use; whoever writes moves it on. */
  length = 0;

  /** Forgets what was written; views of it must no longer be in use. */
  clear(): void {
    this.length = 0;
  }

  /** Makes room for `bytes` more. The buffer may be another one afterwards; views of the old one stay as they are. */
  reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + bytes));
    this.buffer.copy(larger, 0, 0, this.length);
    this.buffer = larger;
  }
}
