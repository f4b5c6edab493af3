import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { describeWith, redisUrl, until } from '@gatepost/test-services';
import { WebSocket, WebSocketServer } from 'ws';
import { GatewayProcess } from './gateway-process.ts';
import { writeLimits } from './limits-file.ts';
import { openUpstream } from './upstream.ts';

/** A client on one connection that asks again and again. Whatever answer begins must come whole. */
function keepAsking(port: number, path: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const seen = { whole: 0, broken: [] as string[] };
  let isDone = false;
  const ask = () => {
    if (isDone) return;
    const outgoing = request({ port, host: '127.0.0.1', path, agent }, (response) => {
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
      });
      response.on('end', () => {
        if (length === Number(response.headers['content-length'])) seen.whole++;
        else seen.broken.push(`${length} bytes`);
        ask();
      });
      response.on('error', (error) => void seen.broken.push(error.message));
    });
    // The kernel refuses or resets connections that nobody accepted any more; their requests were never begun.
    outgoing.on('error', () => undefined);
    outgoing.end();
  };
  ask();
  return {
    seen,
    stop: () => {
      isDone = true;
      agent.destroy();
    },
  };
}

describeWith(['redis'], 'a gateway that is told to stop', () => {
  const limits = writeLimits();
  afterAll(() => limits.remove());

  const environment = (upstream: string): Record<string, string> => ({
    SHORTENER_UPSTREAM: upstream,
    REDIS_URL: redisUrl(),
    LIMITER_SECRET: `drain-${process.pid}-${Date.now()}`,
    LIMITS_FILE: limits.file,
    LOG_LEVEL: 'warn',
  });

  it('finishes every request that it has begun, under load', async () => {
    const upstream = await openUpstream((_request, response) => {
      setTimeout(() => response.end('x'.repeat(20_000)), 5);
    });
    const gateway = await GatewayProcess.start({
      ...environment(upstream.url),
      DRAIN_DELAY_MS: '300',
    });
    const clients = Array.from({ length: 20 }, () => keepAsking(gateway.port, '/load'));
    await until(() => clients.every(({ seen }) => seen.whole > 2));
    const code = await gateway.stop();
    for (const client of clients) client.stop();
    await upstream.close();
    const whole = clients.reduce((sum, { seen }) => sum + seen.whole, 0);
    expect([code, clients.flatMap(({ seen }) => seen.broken)]).toEqual([0, []]);
    expect(whole).toBe(upstream.seen.length);
  });

  it('is not ready any more, lets go of connections, and ends WebSockets last', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const gateway = await GatewayProcess.start({
      ...environment(`http://127.0.0.1:${port}`),
      DRAIN_DELAY_MS: '700',
    });
    const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/socket`);
    await new Promise((resolve) => socket.once('open', resolve));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    const stopped = gateway.stop();
    await until(async () => {
      const ready = await fetch(`http://127.0.0.1:${gateway.managementPort}/readyz`);
      return ready.status === 503;
    });
    const response = await fetch(`${gateway.url}/x`);
    expect(response.headers.get('connection')).toBe('close');
    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(await stopped).toBe(0);
    await closed;
    await new Promise((resolve) => server.close(resolve));
  });

  it('does not wait for half a request', async () => {
    const upstream = await openUpstream();
    const gateway = await GatewayProcess.start(environment(upstream.url));
    const client = connect(gateway.port, '127.0.0.1');
    client.on('error', () => undefined);
    await new Promise((resolve) => client.write('GET / HTTP/1.1\r\nHost: a', resolve));
    const idle = connect(gateway.port, '127.0.0.1');
    idle.on('error', () => undefined);
    await new Promise((resolve) => idle.once('connect', resolve));
    const begun = performance.now();
    expect(await gateway.stop()).toBe(0);
    expect(performance.now() - begun).toBeLessThan(5_000);
    await upstream.close();
  });
});
