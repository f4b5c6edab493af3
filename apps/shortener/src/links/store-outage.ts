import { isUnreachable } from '@gatepost/postgres';
import { DomainError } from '@gatepost/problem-details';

/** Turns "the database cannot be reached" into the 503 that callers are promised; other errors pass. */
export async function orStoreUnavailable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isUnreachable(error)) throw error;
    throw new DomainError(
      'store-unavailable',
      'Links cannot be stored or read right now. Try again in a moment.',
      { headers: { 'retry-after': '2' }, cause: error },
    );
  }
}
