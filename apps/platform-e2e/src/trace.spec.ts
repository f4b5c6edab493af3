import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CLICK_DEAD_LETTER_TOPIC, CLICK_TOPIC } from '@gatepost/contracts';
import { startTestPlatform, type TestPlatform } from '@gatepost/platform';
import {
  describeWith,
  kafkaBrokers,
  readRecords,
  redisUrl,
  type TopicRecord,
  until,
} from '@gatepost/test-services';
import { expectPage, FormBrowser } from './form-browser.ts';
import { authorizationAddress, plantSecrets } from './planted-secrets.ts';
import { DEMO_USER, DEMO_WEB, signIn } from './sign-in.ts';
import { TraceCollector } from './trace-collector.ts';

const MANAGEMENT_TOKEN = `management-${randomBytes(12).toString('hex')}`;

/** One request followed from the edge to the worker; and what must not travel along. */
describeWith(['postgres', 'redis', 'kafka'], 'what the platform tells of a request', () => {
  let running: TestPlatform;
  let collector: TraceCollector;
  let base = '';
  let token = '';
  const secrets = new Map<string, string>();

  beforeAll(async () => {
    collector = await TraceCollector.start();
    running = await startTestPlatform({
      REDIS_URL: redisUrl(),
      KAFKA_BROKERS: kafkaBrokers().join(','),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      MANAGEMENT_TOKEN,
      LOG_LEVEL: 'trace',
    });
    base = running.publicUrl;
    const { tokens, callback, browser } = await signIn(
      base,
      DEMO_WEB,
      'openid email offline_access links:read links:write',
    );
    token = tokens.access_token;
    for (const [name, value] of Object.entries({
      'the access token': token,
      'the refresh token': tokens.refresh_token,
      'the id_token': tokens.id_token,
      'the authorization code': callback.searchParams.get('code'),
      'the password': DEMO_USER.password,
      'the client secret': DEMO_WEB.secret,
      'the management token': MANAGEMENT_TOKEN,
    }))
      secrets.set(name, value ?? '');
    // Its value is a part of the address of the sign-in page; the secret is its signature.
    for (const [name, value] of browser.cookieValues)
      if (name !== 'gp_interaction') secrets.set(`the cookie ${name}`, value);
  }, 90_000);
  afterAll(async () => {
    await running?.stop();
    await collector?.stop();
  }, 60_000);

  async function shorten(longUrl: string): Promise<string> {
    const answer = await fetch(`${base}/shorten`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ longUrl }),
    });
    return ((await answer.json()) as { code: string }).code;
  }

  /** Clicks of this platform alone: the topic is shared by all suites. */
  async function clicksOf(code: string): Promise<TopicRecord[]> {
    return (await readRecords(CLICK_TOPIC)).filter(({ key }) => key === code);
  }

  describe('a trace', () => {
    const traceId = randomBytes(16).toString('hex');
    const callerSpan = randomBytes(8).toString('hex');
    let code = '';

    beforeAll(async () => {
      code = await shorten('https://example.com/traced');
      const answer = await fetch(`${base}/${code}`, {
        redirect: 'manual',
        headers: { traceparent: `00-${traceId}-${callerSpan}-01` },
      });
      expect(answer.status).toBe(302);
      await until(() => collector.spansOf(traceId).length >= 3, {
        withinMs: 20_000,
        what: 'a span of gateway, shortener and worker',
      });
    }, 30_000);

    it('is one from the caller through gateway, shortener and Kafka to the worker, each a child of the one before', async () => {
      const spans = collector.spansOf(traceId);
      const chain = ['gateway-limiter', 'shortener', 'shortener-worker'].map((service) =>
        spans.find((span) => span.service === service),
      );
      expect(spans).toHaveLength(3);
      expect(chain.map((span) => span?.parentSpanId)).toEqual([
        callerSpan,
        chain[0]?.spanId,
        chain[1]?.spanId,
      ]);
      const [record] = await clicksOf(code);
      expect(record?.headers['traceparent']).toBe(`00-${traceId}-${chain[1]?.spanId}-01`);
    });

    it('is named in the log lines of the gateway', async () => {
      await until(() => running.lines.some((line) => line.includes(traceId)));
      const lines = running.lines.filter((line) => line.includes(traceId));
      expect(lines.map((line) => JSON.parse(line))).toContainEqual(
        expect.objectContaining({ service: 'gateway-limiter', traceId, status: 302 }),
      );
    });

    it('reaches the auth-server', async () => {
      const another = randomBytes(16).toString('hex');
      await fetch(`${base}/auth/.well-known/openid-configuration`, {
        headers: { traceparent: `00-${another}-${callerSpan}-01` },
      });
      const services = () => collector.spansOf(another).map(({ service }) => service);
      await until(() => services().length >= 2, { what: 'a span of gateway and auth-server' });
      expect(services().sort()).toEqual(['auth-server', 'gateway-limiter']);
    });

    it('that the caller does not keep is kept nowhere', async () => {
      const unkept = randomBytes(16).toString('hex');
      const headers = { traceparent: `00-${unkept}-${callerSpan}-00` };
      await fetch(`${base}/${code}`, { redirect: 'manual', headers });
      await until(async () => (await clicksOf(code)).length >= 2, { withinMs: 20_000 });
      expect(collector.spansOf(unkept)).toEqual([]);
    }, 30_000);
  });

  it('the name of a sign-in, which addresses tell, opens nothing without its signature', async () => {
    const browser = new FormBrowser(base);
    const page = expectPage(await browser.open(authorizationAddress(base)));
    const name = browser.cookieValues.get('gp_interaction') ?? '';
    expect([page.status, page.url]).toEqual([200, expect.stringContaining(name)]);
    expect(browser.cookieValues.has('gp_interaction.sig')).toBe(true);
    const stolen = await fetch(page.url, { headers: { cookie: `gp_interaction=${name}` } });
    expect([stolen.status, await stolen.text()]).toEqual([
      400,
      expect.not.stringContaining('type="password"'),
    ]);
  });

  it('no secret is in a log line, a span, a metric or a record, however it was sent', async () => {
    for (const [name, value] of await plantSecrets(base, new FormBrowser(base)))
      secrets.set(name, value);
    const code = await shorten('https://example.com/after-the-secrets');
    const traceId = randomBytes(16).toString('hex');
    await fetch(`${base}/${code}`, {
      redirect: 'manual',
      headers: {
        traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
        authorization: `Bearer ${token}`,
        cookie: `session=${secrets.get('the access token')}`,
      },
    });
    // What came last has arrived everywhere, so the rest has as well.
    await until(() => collector.spansOf(traceId).length >= 3, { withinMs: 20_000 });

    const ports = [...running.lines.join('\n').matchAll(/"managementPort":(\d+)/g)];
    expect(ports).toHaveLength(4);
    const metrics = await Promise.all(
      ports.map(async ([, port]) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()),
    );
    const logs = join(running.settings.dataDir, 'logs');
    const told = {
      logs: readdirSync(logs).map((file) => readFileSync(join(logs, file), 'utf8')),
      spans: collector.bodies,
      metrics,
      records: [
        ...(await readRecords(CLICK_TOPIC)),
        ...(await readRecords(CLICK_DEAD_LETTER_TOPIC)),
      ].map((record) => JSON.stringify(record)),
    };
    for (const texts of Object.values(told)) expect(texts.join('').length).toBeGreaterThan(100);
    const found = Object.entries(told).flatMap(([where, texts]) =>
      [...secrets]
        .filter(([, value]) => texts.some((text) => text.includes(value)))
        .map(([name]) => `${name} is in the ${where}`),
    );
    expect([...secrets.values()].every((value) => value.length >= 8)).toBe(true);
    expect(found).toEqual([]);
  }, 90_000);
});
