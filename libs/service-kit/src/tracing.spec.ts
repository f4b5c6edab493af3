import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseTraceparent } from './trace-context.ts';
import { startTracing, TRACING_OFF } from './tracing.ts';

const parent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('tracing that is off', () => {
  it('passes the context of the caller on', () => {
    expect(TRACING_OFF.begin('server', 'GET /', parent).traceparent).toBe(parent);
  });
  it('begins a trace where there is none', () => {
    expect(
      parseTraceparent(TRACING_OFF.begin('server', 'GET /', 'nonsense').traceparent),
    ).toBeDefined();
  });
  it('is what no endpoint means', async () => {
    expect(await startTracing({ service: 's', endpoint: undefined, sampleRatio: 1 })).toBe(
      TRACING_OFF,
    );
  });
});

describe('tracing that is on', () => {
  const received: { resourceSpans: { scopeSpans: { spans: Record<string, unknown>[] }[] }[] }[] =
    [];
  let collector: Server;
  beforeAll(async () => {
    collector = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        received.push(JSON.parse(body));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => new Promise((resolve) => collector.close(resolve)));

  it('makes a child of the caller and hands its own context on', async () => {
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    const tracing = await startTracing({ service: 'spec', endpoint, sampleRatio: 1 });
    const work = tracing.begin('server', 'GET /{code}', parent, { 'http.request.method': 'GET' });
    const context = parseTraceparent(work.traceparent);
    expect(context).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', flags: 1 });
    expect(context?.spanId).not.toBe('b7ad6b7169203331');
    work.end({ status: 503 });
    await tracing.shutdown();
    const spans = received.flatMap((batch) =>
      batch.resourceSpans.flatMap((one) => one.scopeSpans.flatMap(({ spans: some }) => some)),
    );
    expect(spans).toEqual([
      expect.objectContaining({
        traceId: context?.traceId,
        spanId: context?.spanId,
        parentSpanId: 'b7ad6b7169203331',
        name: 'GET /{code}',
        kind: 2,
        status: { code: 2 },
      }),
    ]);
  });
});
