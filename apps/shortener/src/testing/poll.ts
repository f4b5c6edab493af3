/** Looks again and again until the look is satisfied; fails with what it last saw. */
export async function poll<T>(
  look: () => T | Promise<T>,
  isDone: (seen: T) => boolean,
  limitMs = 15_000,
): Promise<T> {
  const limit = Date.now() + limitMs;
  for (;;) {
    const seen = await look();
    if (isDone(seen)) return seen;
    if (Date.now() > limit) throw new Error(`still ${JSON.stringify(seen)} after ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
