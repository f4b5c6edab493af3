/** A test's time limit in milliseconds. FUZZ_SECONDS prolongs properties, of which one test holds two at most. */
export function testTimeout(usualMs) {
  return usualMs + 2_000 * Number(process.env.FUZZ_SECONDS ?? 0);
}
