/** `toString('latin1')` without its way through the encodings' names; every version of Node has it, its types do not. */
interface Latin1Buffer extends Buffer {
  latin1Slice(): string;
}

/** Header fields are bytes; read as Latin-1 each of them survives (RFC 9110 §5.5). */
export function latin1(bytes: Buffer): string {
  return (bytes as Latin1Buffer).latin1Slice();
}
