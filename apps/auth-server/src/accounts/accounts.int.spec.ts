import { randomUUID } from 'node:crypto';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { openPeopleRooms, type PeopleRooms } from '../testing/people-rooms.ts';
import type { Registration } from './accounts.service.ts';
import { addressRule } from './attempts.ts';

const visitor = { address: '198.51.100.1', userAgent: 'spec', browserCookie: undefined };

describeWith(['postgres'], 'accounts', () => {
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

  const fresh = (overrides: Partial<Registration> = {}): Registration => ({
    email: `${randomUUID()}@example.com`,
    name: 'Spec Person',
    password: 'tall green lamps',
    ...overrides,
  });

  async function registered(overrides: Partial<Registration> = {}) {
    const outcome = await rooms.service.register(fresh(overrides), visitor);
    if (outcome.kind !== 'registered') throw new Error(outcome.kind);
    return outcome.account;
  }

  it('are registered with an address that is not verified', async () => {
    expect(await registered({ email: ' Some.One@Example.com '.trim() })).toMatchObject({
      email: 'Some.One@Example.com',
      emailVerified: false,
      name: 'Spec Person',
      disabled: false,
    });
  });

  it('are not registered with faults, and every fault is named', async () => {
    const outcome = await rooms.service.register(
      { email: 'nobody', name: '', password: 'short' },
      visitor,
    );
    expect(outcome).toEqual({
      kind: 'invalid',
      faults: {
        email: expect.any(String),
        name: expect.any(String),
        password: expect.any(String),
      },
    });
  });

  it('are registered once for an address, whatever its case, ten at a time', async () => {
    const email = `${randomUUID()}@example.com`;
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        rooms.service.register(fresh({ email: index % 2 ? email : email.toUpperCase() }), visitor),
      ),
    );
    const kinds = outcomes.map(({ kind }) => kind).sort();
    expect(kinds).toEqual(['registered', ...Array(9).fill('taken')]);
  });

  it('cannot be asked for in bulk: an address that found a hundred taken is refused', async () => {
    const probing = { ...visitor, address: '198.51.100.77' };
    const subject = { rule: addressRule, value: `address ${probing.address}` };
    for (let failure = 0; failure < 99; failure++) await rooms.attempts.take([subject]);
    const { email } = await registered();
    expect((await rooms.service.register(fresh({ email }), probing)).kind).toBe('taken');
    expect((await rooms.service.register(fresh({ email }), probing)).kind).toBe('refused');
  });

  it('change their password once of two changes at once', async () => {
    const account = await registered();
    const { passwordHash: before } = (await rooms.accounts.findById(account.id)) as {
      passwordHash: string;
    };
    const changes = await Promise.all(
      ['first new password', 'second new password'].map((password) =>
        rooms.service.choosePassword(account, { before, password }, visitor),
      ),
    );
    expect(changes.filter((changed) => changed !== undefined)).toHaveLength(1);
  });

  it('lose the mark of a verified phone number when the number changes', async () => {
    const { id } = await registered();
    const change = { name: 'Spec', phoneNumber: '+1 555 0100', address: undefined };
    await rooms.service.changeProfile(id, change);
    await rooms.pool.query('UPDATE accounts SET phone_number_verified = true WHERE id = $1', [id]);
    await rooms.service.changeProfile(id, { ...change, name: 'Renamed' });
    expect(await rooms.service.findUsable(id)).toMatchObject({
      name: 'Renamed',
      phoneNumberVerified: true,
    });
    await rooms.service.changeProfile(id, { ...change, phoneNumber: '+1 555 0199' });
    expect(await rooms.service.findUsable(id)).toMatchObject({ phoneNumberVerified: false });
  });

  it('are nobody once they are disabled or deleted', async () => {
    const disabled = await registered();
    await rooms.accounts.setDisabled(disabled.id, true);
    const deleted = await registered();
    await rooms.service.remove(deleted.id, visitor);
    expect(await rooms.service.findUsable(disabled.id)).toBeUndefined();
    expect(await rooms.service.findUsable(deleted.id)).toBeUndefined();
  });

  it('are not found by what is no id of ours', async () => {
    for (const id of ['', 'demo-m2m', "' OR 1=1 --", '00000000-0000-0000-0000-00000000000g'])
      expect(await rooms.accounts.findById(id)).toBeUndefined();
  });

  it('are listed page by page and searched by name or address', async () => {
    const search = randomUUID();
    const three = [];
    for (const letter of ['a', 'b', 'c'])
      three.push(await registered({ email: `${letter}-${search}@example.com` }));
    const first = await rooms.accounts.list({ afterId: undefined, limit: 2, search });
    const second = await rooms.accounts.list({ afterId: first[1]?.id, limit: 2, search });
    expect([...first, ...second].map(({ id }) => id)).toEqual(three.map(({ id }) => id));
    expect(await rooms.accounts.list({ afterId: undefined, limit: 2, search: '%' })).toEqual([]);
  });
});
