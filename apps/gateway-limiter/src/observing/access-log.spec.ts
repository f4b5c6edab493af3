import { createLogger } from '@gatepost/service-kit';
import type { Exchange } from '../forwarding/exchange.ts';
import { AccessLog, statusOf } from './access-log.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

function exchange(over: Partial<Record<keyof Exchange, unknown>> = {}): Exchange {
  return {
    startedAt: 0,
    requestId: 'id',
    request: { method: 'GET', url: '/cb?code=secret', headers: { traceparent: TRACEPARENT } },
    caller: { kind: 'address', tier: 'anonymous', label: 'hash' },
    route: 'links',
    status: 200,
    sentBytes: 5,
    retries: 0,
    peer: 'http://10.0.0.1',
    isGone: false,
    ...over,
  } as unknown as Exchange;
}

function openLog(perSecond: number) {
  const lines: Record<string, unknown>[] = [];
  const logger = createLogger({
    name: 'gateway-limiter',
    level: 'info',
    destination: { write: (line: string) => void lines.push(JSON.parse(line)) },
  });
  return { lines, log: new AccessLog(logger, perSecond) };
}

describe('the access log', () => {
  it('has a line a request, without its query and with the caller’s hash', () => {
    const { lines, log } = openLog(10);
    log.write(exchange(), 12.34);
    expect(lines).toMatchObject([
      { msg: 'request', path: '/cb', status: 200, durationMs: 12.3, caller: 'hash', bytes: 5 },
    ]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  it('names the trace: the gateway’s own where it traces, else the caller’s', () => {
    const { lines, log } = openLog(10);
    log.write(exchange(), 1);
    const own = '00-ffffffffffffffffffffffffffffffff-b7ad6b7169203331-01';
    log.write(exchange({ work: { traceparent: own } }), 1);
    expect(lines.map((line) => line['traceId'])).toEqual([
      '0af7651916cd43dd8448eb211c80319c',
      'f'.repeat(32),
    ]);
  });

  it('stays within so many lines a second and says how many are missing', () => {
    const { lines, log } = openLog(3);
    for (let count = 0; count < 10; count++) log.write(exchange(), 100);
    expect(lines).toHaveLength(3);
    log.write(exchange(), 1_100);
    expect(lines.slice(3)).toMatchObject([
      { msg: 'requests not logged', suppressed: 7 },
      { msg: 'request' },
    ]);
  });

  it('keeps room for what failed', () => {
    const { lines, log } = openLog(2);
    for (let count = 0; count < 10; count++) log.write(exchange(), 100);
    for (let count = 0; count < 2; count++) log.write(exchange({ status: 502 }), 200);
    expect(lines.map((line) => line['status'])).toEqual([200, 200, 502, 502]);
  });

  it('can be turned off', () => {
    const { lines, log } = openLog(0);
    log.write(exchange({ status: 502 }), 100);
    log.write(exchange(), 1_100);
    expect(lines).toEqual([]);
  });

  it('calls a client that left first 499, unless something else had gone wrong', () => {
    expect([
      statusOf(exchange({ isGone: true })),
      statusOf(exchange({ isGone: true, failure: 'reset-in-body' })),
    ]).toEqual([499, 200]);
  });
});
