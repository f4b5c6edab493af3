import { describeWith, redisUrl, until } from '@gatepost/test-services';
import { GatewayProcess } from './gateway-process.ts';
import { writeLimits } from './limits-file.ts';
import { openUpstream, type Upstream } from './upstream.ts';

describeWith(['redis'], 'several workers', () => {
  let upstream: Upstream;
  let gateway: GatewayProcess;
  // What comes back in a day does not matter here: exactly the burst is admitted.
  const limits = writeLimits({ free: { day: { limit: 1, burst: 40 } } });

  beforeAll(async () => {
    upstream = await openUpstream();
    gateway = await GatewayProcess.start({
      WORKERS: '2',
      SHORTENER_UPSTREAM: upstream.url,
      REDIS_URL: redisUrl(),
      LIMITER_SECRET: `workers-${process.pid}-${Date.now()}`,
      LIMITS_FILE: limits.file,
      DEMO: 'true',
    });
  });

  afterAll(async () => {
    await gateway?.stop();
    await upstream?.close();
    limits.remove();
  });

  // `Connection: close` brings each request to the next worker.
  const ask = async (key: string) =>
    fetch(gateway.url, { headers: { 'x-api-key': key, connection: 'close' } });

  it('count together', async () => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => ask('demo-key-free')));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(40);
  });

  it('are scraped as one', async () => {
    const total = () => gateway.metric('gateway_requests_total', 'route="links"');
    const before = await total();
    for (let count = 0; count < 10; count++) await ask('demo-key-paid');
    await until(async () => (await total()) === before + 10);
  });

  it('are replaced one by one, without a request lost and without losing count', async () => {
    const total = () => gateway.metric('gateway_requests_total', 'route="links"');
    const before = await total();
    gateway.child.kill('SIGHUP');
    let asked = 0;
    while (!gateway.output.includes('workers replaced')) {
      expect((await ask('demo-key-paid')).status).toBe(200);
      asked++;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(gateway.output.match(/"msg":"stopped"/g)).toHaveLength(2);
    await until(async () => (await total()) === before + asked);
  }, 90_000);
});
