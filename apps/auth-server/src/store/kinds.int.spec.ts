import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { hashId, type RecordRow } from './record.ts';
import { RecordReadsRepository } from './record-reads.repository.ts';
import { RecordsRepository } from './records.repository.ts';

const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));
const VALUE = 'a value that somebody presents as what it is not';

const code: RecordRow = {
  ...{ kind: 'DeviceCode', id: hashId(VALUE), payload: {} },
  ...{ grantId: null, accountId: null, clientId: null, uid: null, userCode: null },
  expiresAt: new Date(Date.now() + 60_000),
};

describeWith(['postgres'], 'a record of one kind', () => {
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
    await records.write([code]);
  });
  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  it.each(['RefreshToken', 'AccessToken', 'Session', 'Interaction', 'PushedAuthorizationRequest'])(
    'is not found, used up or deleted as %s',
    async (kind) => {
      expect(await reads.find(kind, code.id)).toBeUndefined();
      expect(await reads.findWithFamily(kind, code.id)).toBeUndefined();
      expect(await records.consume(kind, code.id)).toBe(false);
      await records.destroy(kind, code.id);
      expect((await reads.find('DeviceCode', code.id))?.consumedAt).toBeNull();
    },
  );
});
