import { hash } from 'node:crypto';

/** SHA-256 in one call: a third of the cost of createHash for texts as short as tokens. */
export function digestOf(text: string, encoding: 'base64url' | 'binary'): string {
  return hash('sha256', text, encoding);
}
