import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import {
  createTestDatabase,
  describeWith,
  kafkaBrokers,
  redisUrl,
  until,
} from '@gatepost/test-services';
import { Machine } from './machine.ts';
import { type Listening, ProductionProcess } from './production-tree.ts';
import { SchemaVersions, type Step } from './schema-versions.ts';
import { Traffic } from './traffic.ts';

const MANAGEMENT_TOKEN = randomBytes(16).toString('hex');

/** A database of its own, and processes of one built app on it. */
class Installation {
  readonly versions: SchemaVersions;
  private readonly running: ProductionProcess[] = [];
  pool!: Pool;
  url = '';
  private drop: () => Promise<void> = async () => undefined;

  constructor(
    private readonly app: string,
    private readonly environment: () => Readonly<Record<string, string>>,
  ) {
    this.versions = new SchemaVersions(app);
  }

  /** Begins at the schema before the newest. */
  async open(): Promise<void> {
    const database = await createTestDatabase();
    this.url = database.url;
    this.drop = () => database.drop();
    this.pool = openPool({ url: this.url, applicationName: 'spec', maxConnections: 2 });
    await this.migrateTo(this.versions.former());
  }

  migrateTo(folder: string): Promise<string[]> {
    return migrate({ url: this.url, folder });
  }

  command(...args: string[]): ProductionProcess {
    const main = fileURLToPath(new URL(`../../${this.app}/dist/main.js`, import.meta.url));
    const child = spawn(process.execPath, [main, ...args], {
      env: {
        GATEPOST_ENV: 'production',
        PUBLIC_URL: 'https://gatepost.example',
        PORT: '0',
        MANAGEMENT_PORT: '0',
        MANAGEMENT_TOKEN,
        DATABASE_URL: this.url,
        ...this.environment(),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new ProductionProcess(child);
  }

  async serve(...args: string[]): Promise<Listening> {
    const started = this.command(...args);
    this.running.push(started);
    return started.listening;
  }

  /** A report that takes its time: it reads a table and keeps its transaction open. */
  async readSlowly(table: string, seconds: number): Promise<void> {
    const client = await this.pool.connect();
    try {
      await client.query(`BEGIN; SELECT * FROM ${table} LIMIT 1`);
      await client.query('SELECT pg_sleep($1)', [seconds]);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.running.map((one) => one.stop()));
    await this.pool.end();
    await this.drop();
    this.versions.remove();
  }
}

/** Changes the schema while `work` goes on, and expects that nobody noticed. Returns how much was done meanwhile. */
async function underTraffic(work: () => Promise<void>, change: () => Promise<unknown>) {
  const traffic = new Traffic(4, work);
  await until(() => traffic.soFar >= 20, { what: 'traffic' });
  const before = traffic.soFar;
  await change();
  const after = traffic.soFar;
  await until(() => traffic.soFar >= after + 20, { what: 'traffic on the new schema' });
  const { answered, failed } = await traffic.stop();
  process.stdout.write(
    `  ${answered} answered, ${after - before} meanwhile, ${failed.length} failed\n`,
  );
  expect(failed).toEqual([]);
  return after - before;
}

describeWith(['postgres', 'redis', 'kafka'], 'the schema of the shortener, under traffic', () => {
  const step: Step = {
    expand: `ALTER TABLE links ADD COLUMN campaign TEXT;
      ALTER TABLE click_days ADD COLUMN suspicious BIGINT NOT NULL DEFAULT 0;
      CREATE INDEX links_by_campaign ON links (campaign) WHERE campaign IS NOT NULL;`,
    contract:
      'ALTER TABLE links DROP COLUMN campaign; ALTER TABLE click_days DROP COLUMN suspicious;',
  };
  const name = `migration-${randomBytes(6).toString('hex')}`;
  const shortener = new Installation('shortener', () => ({
    REDIS_URL: redisUrl(),
    REDIS_PREFIX: `${name}:`,
    KAFKA_BROKERS: kafkaBrokers().join(','),
    KAFKA_CLICK_GROUP: name,
  }));
  let base = '';
  const followedCodes: string[] = [];

  beforeAll(async () => {
    await shortener.open();
    base = `http://127.0.0.1:${(await shortener.serve('api')).port}`;
    await shortener.serve('worker');
  }, 60_000);
  afterAll(() => shortener.close(), 60_000);

  async function createAndFollow(): Promise<void> {
    const created = await fetch(`${base}/shorten`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ longUrl: 'https://example.com/migrated' }),
    });
    if (created.status !== 201) throw new Error(`create: ${created.status}`);
    const { code } = (await created.json()) as { code: string };
    const followed = await fetch(`${base}/${code}`, { redirect: 'manual' });
    if (followed.status !== 302) throw new Error(`redirect: ${followed.status}`);
    followedCodes.push(code);
  }
  /** Of our links alone: the topic is shared by all suites, and the worker counts whatever is in it. */
  const counted = async () => {
    const { rows } = await shortener.pool.query(
      'SELECT sum(humans + bots)::int AS clicks FROM click_days WHERE code = ANY ($1)',
      [followedCodes],
    );
    return Number(rows[0].clicks);
  };

  it('goes from the former version to the newest: no request fails', () =>
    underTraffic(createAndFollow, async () => {
      expect(await shortener.migrateTo(shortener.versions.current)).toHaveLength(1);
    }));

  it('goes on to a version to come, behind a slow report: no request fails', async () => {
    const report = shortener.readSlowly('links, click_days', 3);
    const next = () => shortener.migrateTo(shortener.versions.next(step));
    // Were the migration to wait in the queue for the tables, everyone else would stand behind it.
    expect(await underTraffic(createAndFollow, next)).toBeGreaterThan(40);
    await report;
  });

  it('lets the former version begin anew on the schema of the next: migrate, serve, archive', async () => {
    expect(await shortener.command('migrate').finished).toMatchObject({ exitCode: 0 });
    base = `http://127.0.0.1:${(await shortener.serve('api')).port}`;
    await createAndFollow();
    expect(await shortener.command('archive').finished).toMatchObject({ exitCode: 0 });
  });

  it('goes back by a migration that takes the step back: no request fails', () =>
    underTraffic(createAndFollow, async () => {
      const back = shortener.versions.nextTakenBack(step);
      expect(await shortener.migrateTo(back)).toEqual(['29990102000000_contract']);
    }));

  it('has counted every click of all this', async () => {
    await until(async () => (await counted()) >= followedCodes.length, {
      withinMs: 20_000,
      what: 'the count',
    });
    expect(await counted()).toBe(followedCodes.length);
  });
});

describeWith(['postgres'], 'the schema of the auth-server, under traffic', () => {
  const step: Step = {
    expand: `ALTER TABLE oidc_records ADD COLUMN region TEXT;
      ALTER TABLE clients ADD COLUMN contact TEXT;
      CREATE TABLE client_notes (client_id TEXT NOT NULL, note TEXT NOT NULL);`,
    contract: `ALTER TABLE oidc_records DROP COLUMN region; ALTER TABLE clients DROP COLUMN contact;
      DROP TABLE client_notes;`,
  };
  const keys = {
    ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    COOKIE_KEYS: randomBytes(24).toString('hex'),
    MIGRATE_ON_START: 'false',
  };
  const authServer = new Installation('auth-server', () => keys);
  let base = '';
  let machine: Machine;

  beforeAll(async () => {
    await authServer.open();
    const { port, managementPort } = await authServer.serve('serve');
    base = `http://127.0.0.1:${port}`;
    machine = await Machine.register(managementPort, MANAGEMENT_TOKEN);
  }, 60_000);
  afterAll(() => authServer.close(), 60_000);

  const getAndRevoke = async () => machine.revoke(base, await machine.token(base));

  it('goes from the former version to the newest: no request fails', () =>
    underTraffic(getAndRevoke, async () => {
      expect(await authServer.migrateTo(authServer.versions.current)).toHaveLength(1);
    }));

  it('goes on to a version to come, behind a slow report: no request fails', async () => {
    const report = authServer.readSlowly('oidc_records, clients', 3);
    const next = () => authServer.migrateTo(authServer.versions.next(step));
    expect(await underTraffic(getAndRevoke, next)).toBeGreaterThan(40);
    await report;
  });

  it('lets the former version begin anew on the schema of the next: migrate, serve, purge', async () => {
    expect(await authServer.command('migrate').finished).toMatchObject({ exitCode: 0 });
    base = `http://127.0.0.1:${(await authServer.serve('serve')).port}`;
    await getAndRevoke();
    expect(await authServer.command('purge').finished).toMatchObject({ exitCode: 0 });
  });

  it('goes back by a migration that takes the step back: no request fails', () =>
    underTraffic(getAndRevoke, async () => {
      const back = authServer.versions.nextTakenBack(step);
      expect(await authServer.migrateTo(back)).toEqual(['29990102000000_contract']);
    }));
});
