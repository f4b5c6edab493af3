import { randomUUID } from 'node:crypto';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { hash as argon2 } from '@node-rs/argon2';
import { openPeopleRooms, type PeopleRooms } from '../testing/people-rooms.ts';
import { testEnv } from '../testing/protocol-server.ts';
import type { Account } from './account.ts';
import { addressRule } from './attempts.ts';
import { rememberBrowser } from './known-browser.ts';
import type { PasswordOutcome } from './password-door.service.ts';
import { deriveSecrets } from './signing-secrets.ts';
import type { Visitor } from './visitor.ts';

const PASSWORD = 'tall green lamps';

describeWith(['postgres'], 'the door that passwords go through', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let rooms: PeopleRooms;
  let other: PeopleRooms;

  beforeAll(async () => {
    database = await createTestDatabase();
    rooms = await openPeopleRooms(database.url);
    other = await openPeopleRooms(database.url);
  });
  afterAll(async () => {
    await rooms?.close();
    await other?.close();
    await database?.drop();
  });

  let lastAddress = 0;
  /** A browser that nobody has seen, at an address of its own. */
  function stranger(): Visitor {
    lastAddress++;
    return {
      address: `203.0.113.${lastAddress}`,
      userAgent: 'spec',
      browserCookie: undefined,
    };
  }

  async function register(): Promise<Account> {
    const registration = { email: `${randomUUID()}@example.com`, name: 'Spec', password: PASSWORD };
    const outcome = await rooms.service.register(registration, stranger());
    if (outcome.kind !== 'registered') throw new Error(outcome.kind);
    return outcome.account;
  }

  function attempt(
    email: string,
    password: string,
    visitor = stranger(),
    through = rooms,
  ): Promise<PasswordOutcome> {
    return through.door.tryPassword({ claimant: { email }, password, visitor, purpose: 'sign-in' });
  }

  const kinds = (outcomes: PasswordOutcome[]) => outcomes.map(({ kind }) => kind);

  async function failTimes(times: number, email: string, visitor = stranger()) {
    const outcomes: PasswordOutcome[] = [];
    for (let failure = 0; failure < times; failure++)
      outcomes.push(await attempt(email, 'wrong', visitor));
    return outcomes;
  }

  /** Moves all counts into the past instead of waiting. */
  async function letPass(seconds: number): Promise<void> {
    await rooms.pool.query(
      `UPDATE sign_in_attempts SET window_start = window_start - $1 * interval '1 second',
        updated_at = updated_at - $1 * interval '1 second', blocked_until = blocked_until - $1 * interval '1 second'`,
      [seconds],
    );
  }

  it('lets the right password in, whatever the case of the address', async () => {
    const account = await register();
    expect(await attempt(account.email.toUpperCase(), PASSWORD)).toMatchObject({
      kind: 'right',
      account: { id: account.id },
    });
  });

  it('refuses after five failures of an account, the right password too, and from every process', async () => {
    const { email } = await register();
    expect(kinds(await failTimes(6, email))).toEqual([...Array(5).fill('wrong'), 'refused']);
    const refused = await attempt(email, PASSWORD, stranger(), other);
    expect(refused).toMatchObject({ kind: 'refused' });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(5);
  });

  it('doubles the wait with each failure up to a minute', async () => {
    const { email } = await register();
    await failTimes(5, email);
    const waits: number[] = [];
    for (let failure = 0; failure < 5; failure++) {
      const refused = await attempt(email, 'wrong');
      if (refused.kind !== 'refused') throw new Error(refused.kind);
      waits.push(refused.retryAfterSeconds);
      await letPass(refused.retryAfterSeconds);
      expect((await attempt(email, 'wrong')).kind).toBe('wrong');
    }
    expect(waits).toEqual([5, 10, 20, 40, 60]);
  });

  it('looks at five of fifty passwords sent at once through two processes', async () => {
    const { email } = await register();
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        attempt(email, 'wrong', stranger(), index % 2 ? rooms : other),
      ),
    );
    expect(kinds(outcomes).filter((kind) => kind === 'wrong')).toHaveLength(5);
    expect(kinds(outcomes).filter((kind) => kind === 'refused')).toHaveLength(45);
  });

  it('answers for unknown accounts as for known ones', async () => {
    const email = `${randomUUID()}@example.com`;
    expect(kinds(await failTimes(6, email))).toEqual([...Array(5).fill('wrong'), 'refused']);
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => attempt(email.toUpperCase(), 'wrong')),
    );
    expect(new Set(kinds(outcomes))).toEqual(new Set(['refused']));
  });

  it('counts on after a right password of the same browser only', async () => {
    const { email } = await register();
    await failTimes(4, email);
    expect((await attempt(email, PASSWORD)).kind).toBe('right');
    expect(kinds(await failTimes(5, email))).toEqual(Array(5).fill('wrong'));
  });

  it('lets the owner in from a known browser while strangers lock the account', async () => {
    const account = await register();
    const secrets = deriveSecrets(testEnv(database.url).COOKIE_KEYS, 'known-browser');
    const browserCookie = rememberBrowser(undefined, account, secrets, 'a-browser-of-theirs-1');
    await failTimes(6, account.email);
    const known = { ...stranger(), browserCookie };
    expect((await attempt(account.email, PASSWORD, known)).kind).toBe('right');
    expect((await attempt(account.email, PASSWORD)).kind).toBe('refused');
  });

  it('counts failures of a known browser as well', async () => {
    const account = await register();
    const secrets = deriveSecrets(testEnv(database.url).COOKIE_KEYS, 'known-browser');
    const browserCookie = rememberBrowser(undefined, account, secrets, 'a-browser-of-theirs-2');
    const known = { ...stranger(), browserCookie };
    expect(kinds(await failTimes(6, account.email, known))).toEqual([
      ...Array(5).fill('wrong'),
      'refused',
    ]);
    expect((await attempt(account.email, PASSWORD)).kind).toBe('right');
  });

  it('refuses an address after a hundred failures on whatever accounts, and nobody else', async () => {
    const account = await register();
    const visitor = stranger();
    const { attempts } = rooms;
    // Counted without hashing a hundred times: what is looked at here is the count.
    const subject = { rule: addressRule, value: `address ${visitor.address}` };
    for (let failure = 0; failure < 99; failure++) await attempts.take([subject]);
    expect((await attempt(`${randomUUID()}@example.com`, 'wrong', visitor)).kind).toBe('wrong');
    const refused = await attempt(account.email, PASSWORD, visitor);
    expect(refused).toMatchObject({ kind: 'refused' });
    expect((refused as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThan(800);
    expect((await attempt(account.email, PASSWORD)).kind).toBe('right');
    await letPass(15 * 60);
    expect((await attempt(account.email, PASSWORD, visitor)).kind).toBe('right');
  });

  it('counts a try for a changed password and a try to sign in together', async () => {
    const account = await register();
    for (let failure = 0; failure < 5; failure++)
      await rooms.door.tryPassword({
        claimant: { accountId: account.id },
        password: 'wrong',
        visitor: stranger(),
        purpose: 'change-password',
      });
    expect((await attempt(account.email, PASSWORD)).kind).toBe('refused');
  });

  it('says that an account is disabled only to who knows its password', async () => {
    const account = await register();
    await rooms.accounts.setDisabled(account.id, true);
    expect((await attempt(account.email, 'wrong')).kind).toBe('wrong');
    expect((await attempt(account.email, PASSWORD)).kind).toBe('disabled');
  });

  it('hashes anew when the cost has changed, and the password stays the same', async () => {
    const account = await register();
    const before = await argon2(PASSWORD, { memoryCost: 8192, timeCost: 2, parallelism: 1 });
    await rooms.pool.query('UPDATE accounts SET password_hash = $2 WHERE id = $1', [
      account.id,
      before,
    ]);
    expect((await attempt(account.email, PASSWORD)).kind).toBe('right');
    const found = await rooms.accounts.findById(account.id);
    expect(found?.passwordHash).toMatch(/m=19456/);
    expect(found?.account.passwordChangedAt).toEqual(account.passwordChangedAt);
    expect((await attempt(account.email, PASSWORD)).kind).toBe('right');
  });

  it('spends about the same CPU on an unknown account as on a known one', async () => {
    const { email } = await register();
    const spent = { known: 0, unknown: 0 };
    // In turns, so that whatever else the machine does falls on both; CPU, for the clock also counts its neighbours.
    for (let round = 0; round < 10; round++) {
      for (const kind of ['known', 'unknown'] as const) {
        const before = process.cpuUsage();
        await attempt(kind === 'known' ? email : `${randomUUID()}@example.com`, 'wrong');
        const { user, system } = process.cpuUsage(before);
        spent[kind] += user + system;
        await rooms.pool.query('DELETE FROM sign_in_attempts');
      }
    }
    expect(spent.unknown / spent.known).toBeGreaterThan(0.7);
    expect(spent.unknown / spent.known).toBeLessThan(1.4);
  });

  it('turns tries away when too many hashes are asked for at once, and counts them for nothing', async () => {
    const { email } = await register();
    const small = await openPeopleRooms(database.url, {
      PASSWORD_HASHES_AT_ONCE: '1',
      PASSWORD_QUEUE: '1',
    });
    const crowd = Array.from({ length: 20 }, (_, index) => `${index}-${randomUUID()}@example.com`);
    const outcomes = await Promise.all(
      crowd.map((address) => attempt(address, 'wrong', stranger(), small)),
    );
    const busy = crowd.filter((_, index) => outcomes[index]?.kind === 'busy');
    expect(busy.length).toBeGreaterThan(0);
    // Turned away once, not counted: five free failures are still five.
    expect(kinds(await failTimes(6, busy[0] as string))).toEqual([
      ...Array(5).fill('wrong'),
      'refused',
    ]);
    expect((await attempt(email, PASSWORD, stranger(), small)).kind).toBe('right');
    await small.close();
  });

  it('writes who, what for and how it went, never the password or an address that was typed', async () => {
    const { id, email } = await register();
    rooms.lines.length = 0;
    await attempt(email, 'hunter2-typed-by-mistake');
    await attempt('typed-into-the-wrong-field@example.com', 'x');
    const events = rooms.lines.map((line) => JSON.parse(line));
    expect(events[0]).toMatchObject({
      event: 'sign-in.wrong',
      accountId: id,
      audit: true,
    });
    expect(rooms.lines.join('')).not.toMatch(/hunter2|typed-into|@example/);
  });

  it('stores no address and no e-mail among the counts', async () => {
    const visitor = stranger();
    await attempt('findme@example.com', 'wrong', visitor);
    const { rows } = await rooms.pool.query(
      'SELECT sign_in_attempts::text AS row FROM sign_in_attempts',
    );
    const dump = rows.map(({ row }) => row).join('\n');
    expect(dump).not.toContain(Buffer.from('findme').toString('hex'));
    expect(dump).not.toContain(Buffer.from(visitor.address).toString('hex'));
  });

  it('deletes counts that are forgotten', async () => {
    await attempt(`${randomUUID()}@example.com`, 'wrong');
    await letPass(20 * 60);
    await attempt(`${randomUUID()}@example.com`, 'wrong');
    expect(await rooms.attempts.purge(1000)).toBeGreaterThan(0);
    const { rows } = await rooms.pool.query('SELECT count(*)::int AS left FROM sign_in_attempts');
    expect(rows[0].left).toBe(2);
  });
});
