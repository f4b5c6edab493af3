import { randomBytes } from 'node:crypto';
import { createTestDatabase, describeWith, kafkaBrokers, redisUrl } from '@gatepost/test-services';
import { Machine } from './machine.ts';
import { type Listening, type ProductionProcess, ProductionTree } from './production-tree.ts';

const PUBLIC_URL = 'https://gatepost.example';
const MANAGEMENT_TOKEN = randomBytes(16).toString('hex');
const APPS = ['auth-server', 'shortener', 'gateway-limiter'] as const;
type App = (typeof APPS)[number];

/**
 * What an image holds, without an image: no container engine is needed to prove that the tree is complete, that nothing
 * in it has to be written, and that production's refusals leave a way to run.
 */
describeWith(['postgres', 'redis', 'kafka'], 'a production install', () => {
  const trees = {} as Record<App, ProductionTree>;
  const environments = {} as Record<App, Record<string, string>>;
  const running: ProductionProcess[] = [];
  const databases: Awaited<ReturnType<typeof createTestDatabase>>[] = [];

  beforeAll(async () => {
    const packed = await Promise.all(APPS.map((app) => ProductionTree.create(app)));
    APPS.forEach((app, index) => {
      trees[app] = packed[index] as ProductionTree;
    });
    databases.push(await createTestDatabase(), await createTestDatabase());
    const shared = { PUBLIC_URL, MANAGEMENT_TOKEN, PORT: '0', MANAGEMENT_PORT: '0' };
    environments['auth-server'] = {
      ...shared,
      DATABASE_URL: databases[0]?.url ?? '',
      ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      COOKIE_KEYS: randomBytes(24).toString('hex'),
      MIGRATE_ON_START: 'false',
    };
    environments.shortener = {
      ...shared,
      DATABASE_URL: databases[1]?.url ?? '',
      REDIS_URL: redisUrl(),
      REDIS_PREFIX: `production-${randomBytes(6).toString('hex')}:`,
      KAFKA_BROKERS: kafkaBrokers().join(','),
      KAFKA_CLICK_GROUP: `production-${randomBytes(6).toString('hex')}`,
    };
    environments['gateway-limiter'] = {
      ...shared,
      REDIS_URL: redisUrl(),
      LIMITER_SECRET: randomBytes(16).toString('hex'),
    };
  }, 180_000);
  afterAll(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await Promise.all(databases.map((database) => database.drop()));
    for (const tree of Object.values(trees)) tree.remove();
  }, 60_000);

  async function serve(app: App, ...args: string[]): Promise<Listening> {
    const started = trees[app].start(args, environments[app]);
    running.push(started);
    const listening = await started.listening;
    const { upMs } = listening;
    // The processor's time, for the clock of a busy machine tells more of its other work. A second on a quiet one.
    expect(started.cpuMs).toBeLessThan(3_000);
    process.stdout.write(`  ${app} ${args.join(' ')}: ${upMs} ms, CPU ${started.cpuMs} ms\n`);
    return listening;
  }

  it.each(APPS)('%s is smaller than 120 MB, compiled code and all', (app) => {
    const { megabytes } = trees[app];
    process.stdout.write(`  ${app}: ${megabytes.toFixed(1)} MB\n`);
    expect(megabytes).toBeLessThan(120);
  });

  it.each(APPS)('%s refuses to start without its secrets, each by name', async (app) => {
    const { exitCode, output } = await trees[app].run([], {});
    expect(exitCode).toBe(78);
    expect(output).toContain('MANAGEMENT_TOKEN');
  });

  it.each(['auth-server', 'shortener'] as const)(
    '%s applies its migrations, and finds nothing to apply a second time',
    async (app) => {
      const first = await trees[app].run(['migrate'], environments[app]);
      expect([first.exitCode, first.output]).toEqual([0, expect.stringMatching(/\d{14}_\w+/)]);
      const second = await trees[app].run(['migrate'], environments[app]);
      expect([second.exitCode, second.output]).toEqual([0, expect.not.stringMatching(/\d{14}_/)]);
    },
  );

  it('serves: a token, a link, a redirect, a counted click, through the gateway', async () => {
    const auth = await serve('auth-server', 'serve');
    environments.shortener['AUTH_INTERNAL_URL'] = `http://127.0.0.1:${auth.port}/auth`;
    const shortener = await serve('shortener', 'api');
    const worker = await serve('shortener', 'worker');
    Object.assign(environments['gateway-limiter'], {
      AUTH_UPSTREAM: `http://127.0.0.1:${auth.port}`,
      SHORTENER_UPSTREAM: `http://127.0.0.1:${shortener.port}`,
    });
    const gateway = await serve('gateway-limiter');
    for (const [app, { managementPort }] of [
      ['auth-server', auth],
      ['shortener', shortener],
      ['shortener', worker],
      ['gateway-limiter', gateway],
    ] as const)
      expect(await trees[app].checkHealth(managementPort)).toBe(0);

    const door = `http://127.0.0.1:${gateway.port}`;
    const machine = await Machine.register(auth.managementPort, MANAGEMENT_TOKEN);
    const authorization = `Bearer ${await machine.token(door)}`;
    const created = await fetch(`${door}/shorten`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ longUrl: 'https://example.com/production' }),
    });
    expect(created.status).toBe(201);
    const { code } = (await created.json()) as { code: string };
    const redirected = await fetch(`${door}/${code}`, { redirect: 'manual' });
    expect([redirected.status, redirected.headers.get('location')]).toEqual([
      302,
      'https://example.com/production',
    ]);
    const deadline = Date.now() + 20_000;
    let total = 0;
    while (total < 1 && Date.now() < deadline) {
      const stats = await fetch(`${door}/links/${code}/stats`, { headers: { authorization } });
      total = ((await stats.json()) as { total: number }).total;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(total).toBe(1);
  }, 60_000);

  it('is unhealthy to its own check where nothing answers', async () => {
    expect(await trees.shortener.checkHealth(1)).toBe(1);
  });

  it('the archive runs and ends', async () => {
    expect(await trees.shortener.run(['archive'], environments.shortener)).toMatchObject({
      exitCode: 0,
    });
  });

  it('the purge runs and ends', async () => {
    const purged = await trees['auth-server'].run(['purge'], environments['auth-server']);
    expect(purged).toMatchObject({ exitCode: 0 });
  });

  it('drains and ends with 0 on SIGTERM', async () => {
    const ended = await Promise.all(running.splice(0).map((one) => one.stop()));
    expect(ended.map(({ exitCode }) => exitCode)).toEqual([0, 0, 0, 0]);
  }, 60_000);
});
