import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { DomainError } from '@gatepost/problem-details';
import { createLogger } from '@gatepost/service-kit';
import { createTestDatabase, describeWith } from '@gatepost/test-services';
import { MIGRATIONS } from '../migrate.ts';
import { IdempotencyRepository } from './idempotency.repository.ts';
import { IdempotentRequests } from './idempotent-requests.service.ts';

describeWith(['postgres'], 'idempotent requests on Postgres', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;
  let pool: Pool;
  let requests: IdempotentRequests;
  let done: number;

  beforeAll(async () => {
    database = await createTestDatabase();
    await migrate({ url: database.url, folder: MIGRATIONS });
    pool = openPool({ url: database.url, applicationName: 'spec' });
    const logger = createLogger({ name: 'spec', level: 'fatal' });
    requests = new IdempotentRequests(new IdempotencyRepository(pool), logger);
  });

  beforeEach(() => {
    done = 0;
  });

  afterAll(async () => {
    await pool?.end();
    await database?.drop();
  });

  const work = async () => ({ status: 201, body: { made: ++done } });

  function perform(
    keyField: string | undefined,
    options: { caller?: string; body?: unknown; work?: typeof work } = {},
  ) {
    const { caller = 'user:1', body = { a: 1 } } = options;
    return requests.perform(
      { keyField, caller, route: 'POST /shorten', body },
      options.work ?? work,
    );
  }

  const codeOf = (promise: Promise<unknown>) =>
    promise.then(
      () => 'answered',
      (error: unknown) => (error instanceof DomainError ? error.code : String(error)),
    );

  it('does the work each time without a key', async () => {
    await perform(undefined);
    await perform(undefined);
    expect(done).toBe(2);
  });

  it('does it once for a key, quoted or bare, and answers the same again', async () => {
    const first = await perform('"key-1"');
    expect(await perform('key-1', { body: { a: 1 } })).toEqual(first);
    expect(done).toBe(1);
  });

  it('refuses the key for another body', async () => {
    await perform('key-2');
    expect(await codeOf(perform('key-2', { body: { a: 2 } }))).toBe('idempotency-key-reused');
    expect(done).toBe(1);
  });

  it('keeps the keys of two callers apart', async () => {
    await perform('key-3');
    await perform('key-3', { caller: 'user:2', body: { a: 2 } });
    expect(done).toBe(2);
  });

  it('says of a key whose request is still running that it is', async () => {
    let finish: () => void = () => undefined;
    const started = new Promise<void>((begun) => {
      void perform('key-4', {
        work: () =>
          new Promise((resolve) => {
            finish = () => resolve({ status: 201, body: { made: ++done } });
            begun();
          }),
      });
    });
    await started;
    expect(await codeOf(perform('key-4'))).toBe('request-in-progress');
    finish();
  });

  it('works once however many repeat it at the same time', async () => {
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => codeOf(perform('key-5'))));
    expect(done).toBe(1);
    expect(new Set(outcomes)).toEqual(new Set(['answered', 'request-in-progress']));
  });

  it('keeps nothing of a request that failed, what it wrote neither', async () => {
    const failing = requests.perform(
      { keyField: 'key-6', caller: 'user:1', route: 'POST /shorten', body: {} },
      async (transaction) => {
        await transaction?.query(`INSERT INTO link_codes (code) VALUES ('failed1')`);
        throw new DomainError('alias-taken', 'taken');
      },
    );
    expect(await codeOf(failing)).toBe('alias-taken');
    expect((await pool.query(`SELECT 1 FROM link_codes WHERE code = 'failed1'`)).rowCount).toBe(0);
    await perform('key-6');
    expect(done).toBe(1);
  });

  it('forgets after 24 hours', async () => {
    await perform('key-7');
    await pool.query(
      `UPDATE idempotent_answers SET created_at = now() - interval '24 hours' WHERE key = 'key-7'`,
    );
    await perform('key-7', { body: { another: true } });
    expect(done).toBe(2);
    await pool.query(
      `UPDATE idempotent_answers SET created_at = now() - interval '25 hours' WHERE key = 'key-7'`,
    );
    expect(await new IdempotencyRepository(pool).removeOld(10)).toBe(1);
    expect(
      (await pool.query(`SELECT 1 FROM idempotent_answers WHERE key = 'key-7'`)).rowCount,
    ).toBe(0);
  });

  it('refuses what is no key', async () => {
    expect(await codeOf(perform('not a key'))).toBe('invalid-request');
  });
});
