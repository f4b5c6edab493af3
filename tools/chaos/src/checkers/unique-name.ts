import type { Operation } from '../history.ts';

/** A wish for a name. Each wish has a destination of its own, so that it can be seen whose the name became. */
export interface Wish {
  readonly name: string;
  readonly destination: string;
}

/** Where a name led to when somebody looked. */
export interface Reading {
  readonly when: string;
  readonly name: string;
  /** Undefined: nowhere. */
  readonly destination: string | undefined;
}

const CREATED = 201;
const TAKEN = 409;
const LOST = 0;

/**
 * A name is acknowledged to one wish at most, and then leads to that wish's destination at every reading. A wish whose
 * answer was lost (status 0) may have come true or not; without an acknowledged wish the name leads to one of these.
 */
export function checkUniqueNames(
  wishes: readonly Operation<Wish, number>[],
  readings: readonly Reading[],
): string[] {
  if (wishes.length === 0) return ['no name was asked for'];
  const names = [...new Set(wishes.map(({ call }) => call.name))];
  return names.flatMap((name) =>
    checkName(
      name,
      wishes.filter(({ call }) => call.name === name),
      readings.filter((reading) => reading.name === name),
    ),
  );
}

function checkName(
  name: string,
  wishes: readonly Operation<Wish, number>[],
  readings: readonly Reading[],
): string[] {
  const of = (status: number) => wishes.filter(({ outcome }) => outcome === status);
  const [created, taken, lost] = [of(CREATED), of(TAKEN), of(LOST)];
  const strange = wishes.filter(({ outcome }) => ![CREATED, TAKEN, LOST].includes(outcome));
  const mayHold = (created.length > 0 ? created : lost).map(({ call }) => call.destination);
  // Somebody has it: a 409 says so.
  const isHeld = created.length > 0 || taken.length > 0;
  const earliest = Math.min(...[...created, ...lost].map(({ startMs }) => startMs));
  const faults: string[] = [];
  if (created.length > 1) faults.push(`${name} was acknowledged ${created.length} times`);
  if (strange.length > 0)
    faults.push(`${name} was answered ${strange.map(({ outcome }) => outcome).join(', ')}`);
  if (taken.some(({ endMs }) => endMs < earliest))
    faults.push(`${name} was called taken before anybody could have had it`);
  if (readings.length === 0) faults.push(`nobody looked where ${name} leads`);
  for (const { when, destination } of readings) {
    if (destination === undefined) {
      if (isHeld) faults.push(`${name} led nowhere ${when}`);
    } else if (!mayHold.includes(destination))
      faults.push(`${name} led to ${destination} ${when}, which was not acknowledged`);
  }
  const seen = new Set(readings.map(({ destination }) => destination));
  if (seen.size > 1) faults.push(`${name} did not stay what it was`);
  return faults;
}
