import { executionAsyncResource } from 'node:async_hooks';

let held: object | undefined;

/**
 * Keeps one of Node's own tick objects for good. V8 forgets the shape of objects of which none is left at a full garbage
 * collection, and the code of `process.nextTick`, which makes one for every event of every stream, stays slow from then on:
 * a tenth of the CPU time of a redirect, seen on Node 20 and 24. While one lives, the shape does.
 */
export function holdTickShape(): Promise<void> {
  return new Promise((resolve) => {
    process.nextTick(() => {
      held ??= executionAsyncResource();
      resolve();
    });
  });
}

/** What is held; for its test. */
export function heldTick(): object | undefined {
  return held;
}
