import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startTestPlatform, type TestPlatform } from '@gatepost/platform';
import { describeWith, kafkaBrokers, redisUrl } from '@gatepost/test-services';

/** A Python that has `chdb` (`pip install "chdb<4"`), which embeds ClickHouse 25.8, the version of the component: no server is needed. */
const python = process.env['TEST_CHDB_PYTHON'];
const script = fileURLToPath(new URL('read-clicks.py', import.meta.url));
const component = fileURLToPath(new URL('../../../k8s/components/clickhouse', import.meta.url));

describeWith(['postgres', 'redis', 'kafka'], 'the ClickHouse component', () => {
  const told = python ? it : it.skip;
  let running: TestPlatform | undefined;
  afterAll(() => running?.stop(), 60_000);

  told(
    `counts what the platform publishes${python ? '' : ' [skipped: no ClickHouse] set TEST_CHDB_PYTHON to a Python with chdb'}`,
    async () => {
      const brokers = kafkaBrokers().join(',');
      running = await startTestPlatform({ REDIS_URL: redisUrl(), KAFKA_BROKERS: brokers });
      const { publicUrl } = running;
      const created = await fetch(`${publicUrl}/shorten`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ longUrl: 'https://example.com/' }),
      });
      const { code } = (await created.json()) as { code: string };
      for (const agent of ['first', 'second', 'second'])
        await fetch(`${publicUrl}/${code}`, {
          redirect: 'manual',
          headers: { 'user-agent': agent, referer: 'https://news.example/story?id=7' },
        });
      const { stdout } = await promisify(execFile)(python ?? '', [script, component, code, '3'], {
        env: { ...process.env, KAFKA_BROKERS: brokers },
      });
      const { clicks, visitors, rows } = JSON.parse(stdout);
      expect([Number(clicks), Number(visitors)]).toEqual([3, 2]);
      expect(rows.map((row: { user_agent: string }) => row.user_agent)).toEqual([
        'first',
        'second',
        'second',
      ]);
      expect(rows[0]).toMatchObject({
        code,
        id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/), // the event's own, a UUIDv7
        network: '127.0.0.0',
        referrer_host: 'news.example',
      });
    },
    90_000,
  );
});
