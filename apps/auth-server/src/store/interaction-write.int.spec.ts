import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { hashId, type RecordRow } from './record.ts';
import { RecordReadsRepository } from './record-reads.repository.ts';
import { RecordsRepository } from './records.repository.ts';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

function rowOf(kind: string, id: string, payload: object = {}): RecordRow {
  return {
    ...{ kind, id: hashId(id), payload: { ...payload } },
    ...{ grantId: kind === 'Grant' ? id : null, accountId: null, clientId: null },
    ...{ uid: null, userCode: null, expiresAt: new Date(Date.now() + 60_000) },
  };
}

describeWith(['postgres'], 'an answer to an interaction', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  let records: RecordsRepository;
  let reads: RecordReadsRepository;

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate({ url: database.url, folder: MIGRATIONS });
    pool = openPool({ url: database.url, applicationName: 'spec' });
    records = new RecordsRepository(pool);
    reads = new RecordReadsRepository(pool);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  it('is written over it, with what goes along', async () => {
    await records.write([rowOf('Interaction', 'one')]);
    const answered = [rowOf('Grant', 'grant'), rowOf('Interaction', 'one', { answered: true })];
    expect(await records.writeInteraction(answered)).toBe(true);
    expect((await reads.find('Interaction', hashId('one')))?.payload).toEqual({ answered: true });
    expect(await reads.find('Grant', hashId('grant'))).toBeDefined();
  });

  it('that has ended is not written, nor what goes along', async () => {
    const late = [rowOf('Grant', 'late grant'), rowOf('Interaction', 'ended')];
    expect(await records.writeInteraction(late)).toBe(false);
    expect(await reads.find('Interaction', hashId('ended'))).toBeUndefined();
    expect(await reads.find('Grant', hashId('late grant'))).toBeUndefined();
  });

  it('and its consent are written both or not at all', async () => {
    const { rows } = await pool.query<{ id: string }>(
      `INSERT INTO accounts (email, name, password_hash) VALUES ('a@example.com', 'A', 'none') RETURNING id`,
    );
    await pool.query(`INSERT INTO clients (id, metadata, origin) VALUES ('app', '{}', 'spec')`);
    const consent = {
      accountId: rows[0]?.id ?? '',
      clientId: 'app',
      allowed: { oidcScopes: ['openid'], oidcClaims: [], resourceScopes: {} },
    };
    const consents = async () => (await pool.query('SELECT allowed FROM consents')).rows;
    const answer = [rowOf('Grant', 'consented'), rowOf('Interaction', 'asked')];
    expect(await records.writeInteraction(answer, consent)).toBe(false);
    expect(await consents()).toEqual([]);
    await records.write([rowOf('Interaction', 'asked')]);
    expect(await records.writeInteraction(answer, { ...consent, clientId: 'gone' })).toBe(false);
    expect(await reads.find('Grant', hashId('consented'))).toBeUndefined();
    expect(await records.writeInteraction(answer, consent)).toBe(true);
    expect(await consents()).toEqual([{ allowed: consent.allowed }]);
    expect(await reads.find('Grant', hashId('consented'))).toBeDefined();
  });

  it('never brings back one that is ending at the same time', async () => {
    for (let round = 0; round < 50; round++) {
      const id = `race ${round}`;
      await records.write([rowOf('Interaction', id)]);
      await Promise.all([
        records.writeInteraction([rowOf('Interaction', id, { answered: true })]),
        records.destroy('Interaction', hashId(id)),
      ]);
      expect(await reads.find('Interaction', hashId(id))).toBeUndefined();
    }
  });
});
