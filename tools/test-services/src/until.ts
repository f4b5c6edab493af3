/** Asks until the answer is yes. Fails with what was last seen when that takes too long. */
export async function until(
  fact: () => boolean | Promise<boolean>,
  options: { withinMs?: number; what?: string } = {},
): Promise<void> {
  const { withinMs = 10_000, what = 'it' } = options;
  const deadline = Date.now() + withinMs;
  while (!(await fact())) {
    if (Date.now() > deadline) throw new Error(`${what} did not come true within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
