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
