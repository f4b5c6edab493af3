/** Waits until it is true, asking again and again; fails after `limitMs`. */
export async function until(
  what: () => boolean | Promise<boolean>,
  limitMs = 5_000,
): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await what())) {
    if (Date.now() > deadline) throw new Error(`not within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
