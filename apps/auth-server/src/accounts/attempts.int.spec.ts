import { randomUUID } from 'node:crypto';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { openPeopleRooms, type PeopleRooms } from '../testing/people-rooms.ts';
import {
  type AttemptCount,
  type AttemptRule,
  accountRule,
  addressRule,
  takeAttempt,
  toRetryAfterSeconds,
} from './attempts.ts';

const START = new Date('2026-11-20T12:00:00Z');

describeWith(['postgres'], 'counts of attempts in the database', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let rooms: PeopleRooms;

  beforeAll(async () => {
    database = await createTestDatabase();
    rooms = await openPeopleRooms(database.url);
  });
  afterAll(async () => {
    await rooms?.close();
    await database?.drop();
  });

  /** The rules as they are written down, for several subjects at once: all are counted or none. */
  class Model {
    private readonly counts = new Map<string, AttemptCount>();

    take(subjects: readonly { rule: AttemptRule; value: string }[], now: Date) {
      const decisions = subjects.map(({ rule, value }) =>
        takeAttempt(rule, this.counts.get(value), now),
      );
      const waits = decisions.map((decision) => (decision.allowed ? 0 : decision.waitMs));
      const waitMs = Math.max(...waits);
      if (waitMs > 0) return { allowed: false, retryAfterSeconds: toRetryAfterSeconds(waitMs) };
      subjects.forEach(({ value }, index) => {
        const decision = decisions[index];
        if (decision?.allowed) this.counts.set(value, decision.count);
      });
      return { allowed: true };
    }
  }

  it('decide as the rules do, on any sequence of attempts', async () => {
    const step = fc.record({
      // Mostly seconds; now and then long enough to be forgotten.
      waitMs: fc.oneof(
        { weight: 8, arbitrary: fc.integer({ min: 0, max: 70_000 }) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 1_000_000 }) },
      ),
      account: fc.integer({ min: 0, max: 1 }),
      address: fc.integer({ min: 0, max: 1 }),
    });
    const few: AttemptRule = { ...addressRule, failuresAllowed: 8 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const run = randomUUID();
        const model = new Model();
        let now = START;
        for (const { waitMs, account, address } of steps) {
          now = new Date(now.getTime() + waitMs);
          const subjects = [
            { rule: accountRule, value: `account ${account} ${run}` },
            { rule: few, value: `address ${address} ${run}` },
          ];
          expect(await rooms.attempts.take(subjects, now)).toEqual(model.take(subjects, now));
        }
      }),
      runs(25),
    );
  });

  it('stay calm after thousands of failures', async () => {
    const subject = { rule: accountRule, value: `account ${randomUUID()}` };
    await rooms.attempts.take([subject], START);
    await rooms.pool.query('UPDATE sign_in_attempts SET failures = 100000');
    expect(await rooms.attempts.take([subject], START)).toEqual({ allowed: true });
    expect(await rooms.attempts.take([subject], START)).toEqual({
      allowed: false,
      retryAfterSeconds: 60,
    });
  });

  it('do not lock each other up, whatever they have in common', async () => {
    const values = Array.from({ length: 4 }, () => randomUUID());
    const subject = (index: number) => ({ rule: addressRule, value: values[index % 4] as string });
    const work = Array.from({ length: 60 }, (_, index) =>
      index % 3
        ? rooms.attempts.take([subject(index), subject(index + 1)])
        : rooms.attempts.settle(subject(index + 1), subject(index)),
    );
    await expect(Promise.all(work)).resolves.toHaveLength(60);
  });

  it('have one failure less after a right password, and none of its own', async () => {
    const own = { rule: accountRule, value: randomUUID() };
    const address = { rule: { ...addressRule, failuresAllowed: 2 }, value: randomUUID() };
    for (let failure = 0; failure < 2; failure++) await rooms.attempts.take([own, address]);
    expect((await rooms.attempts.take([address])).allowed).toBe(false);
    await rooms.attempts.settle(own, address);
    expect((await rooms.attempts.take([address])).allowed).toBe(true);
    expect((await rooms.attempts.take([address])).allowed).toBe(false);
  });
});
