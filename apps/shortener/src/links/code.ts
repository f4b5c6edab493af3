import { randomBytes } from 'node:crypto';
import { containsOffensiveWord } from './offensive-words.ts';
import { isReserved } from './reserved-words.ts';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SHAPE = /^[0-9A-Za-z]{6,8}$/;

export const MAX_CODE_LENGTH = 8;

/** Gives `size` random bytes. Predictable codes could be walked through; only a CSPRNG will do. */
export type RandomBytes = (size: number) => Uint8Array;

export function isCode(text: string): boolean {
  return SHAPE.test(text);
}

/** Draws a code that is neither reserved nor embarrassing on paper. */
export function generateCode(length: number, random: RandomBytes = randomBytes): string {
  for (;;) {
    const code = drawCode(length, random);
    if (!isReserved(code) && !containsOffensiveWord(code)) return code;
  }
}

/** Every code is equally likely: of 64 values the two without a character are thrown away, not folded onto others. */
function drawCode(length: number, random: RandomBytes): string {
  let code = '';
  for (;;) {
    for (const byte of random(length + 4)) {
      const character = ALPHABET[byte & 63];
      if (character === undefined) continue;
      code += character;
      if (code.length === length) return code;
    }
  }
}

/** Why an alias cannot be used, or undefined. */
export function aliasFault(alias: string): string | undefined {
  if (!isCode(alias)) return 'must be 6 to 8 characters, each a letter A-Z, a-z or a digit';
  if (isReserved(alias)) return 'is reserved';
  return undefined;
}

/**
 * The length to draw at the given attempt, from 0 on. Five collisions in a row mean that the space is full rather than
 * that luck was bad (2e-18 at a billion links of length 7): go one longer.
 */
export function codeLengthAt(attempt: number, configured: number): number {
  return Math.min(configured + (attempt > MAX_RETRIES ? 1 : 0), MAX_CODE_LENGTH);
}

export const MAX_RETRIES = 5;
