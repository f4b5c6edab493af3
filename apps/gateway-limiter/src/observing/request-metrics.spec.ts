import { Registry } from 'prom-client';
import type { Exchange } from '../forwarding/exchange.ts';
import { RequestMetrics } from './request-metrics.ts';

const exchange = (over: Record<string, unknown> = {}) =>
  ({
    startedAt: 0,
    request: { method: 'GET' },
    route: 'links',
    status: 200,
    retries: 0,
    isGone: false,
    ...over,
  }) as unknown as Exchange;

function open() {
  const registry = new Registry();
  const metrics = new RequestMetrics(registry, {
    inFlight: () => 3,
    tunnels: () => 2,
    pools: () => [],
  });
  const series = async (name: string) =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith(name))
      .map((line) => line.slice(name.length));
  return { metrics, series };
}

describe('the metrics of requests', () => {
  it('count by route, method and status', async () => {
    const { metrics, series } = open();
    metrics.observe(exchange(), 1);
    metrics.observe(exchange(), 1);
    metrics.observe(exchange({ status: 404, request: { method: 'POST' } }), 1);
    metrics.observe(exchange({ isGone: true }), 1);
    metrics.observeUnparsed(400);
    expect(await series('gateway_requests_total')).toEqual([
      '{route="links",method="GET",status="200"} 2',
      '{route="links",method="GET",status="499"} 1',
      '{route="links",method="POST",status="404"} 1',
      '{route="none",method="other",status="400"} 1',
    ]);
  });

  it('keep their labels few, whatever clients and upstreams send', async () => {
    const { metrics, series } = open();
    for (let status = 200; status < 1_000; status++) metrics.observe(exchange({ status }), 1);
    for (const method of ['PURGE', 'TRACE', 'M-SEARCH', 'PROPFIND'])
      metrics.observe(exchange({ request: { method } }), 1);
    const lines = await series('gateway_requests_total');
    expect(lines.length).toBeLessThan(80);
    expect(lines).toContain('{route="links",method="GET",status="900"} 100');
    expect(lines).toContain('{route="links",method="other",status="200"} 4');
  });

  it('time by route, in seconds', async () => {
    const { metrics, series } = open();
    metrics.observe(exchange(), 4);
    metrics.observe(exchange(), 60_000);
    expect(await series('gateway_request_duration_seconds_bucket')).toEqual(
      expect.arrayContaining([
        '{le="0.0025",route="links"} 0',
        '{le="0.005",route="links"} 1',
        '{le="30",route="links"} 1',
        '{le="+Inf",route="links"} 2',
      ]),
    );
    expect(await series('gateway_request_duration_seconds_sum')).toEqual([
      '{route="links"} 60.004',
    ]);
  });

  it('name why there was no upstream answer, and count second attempts', async () => {
    const { metrics, series } = open();
    metrics.observe(exchange({ status: 502, failure: 'connect', retries: 1 }), 1);
    expect([
      await series('gateway_failures_total'),
      await series('gateway_upstream_retries_total'),
      await series('gateway_requests_in_flight'),
    ]).toEqual([['{route="links",reason="connect"} 1'], ['{route="links"} 1'], [' 3']]);
  });
});
