import { definePolicy, type Refused, type Window } from '@gatepost/limiter-core';
import { Registry } from 'prom-client';
import type { CallerSummary } from './limit-verdict.ts';
import { LimiterSignals } from './limiter-signals.ts';

const policy = definePolicy('', { minute: { limit: 10 } });
const refused: Refused = {
  kind: 'refused',
  decidedAtMs: 0,
  reported: { policy, window: policy.windows[0] as Window, tokens: 0 },
  waitMs: 6_000,
  refusing: [],
};
const address = (label: string): CallerSummary => ({ kind: 'address', tier: 'anonymous', label });

describe('LimiterSignals', () => {
  const open = () => {
    const registry = new Registry();
    const logged: object[] = [];
    const signals = new LimiterSignals(registry, { warn: (fields) => logged.push(fields) });
    const series = async (name: string) =>
      (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));
    return { signals, logged, series };
  };

  it('gives a configured key its own series and other callers that of their kind', async () => {
    const { signals, series } = open();
    signals.noteRejection({ kind: 'key', tier: 'paid', label: 'acme' }, refused, 1);
    signals.noteRejection(address('aaaaaaaaaa'), refused, 1);
    signals.noteRejection(address('bbbbbbbbbb'), refused, 1);
    expect(await series('rate_limit_rejected_total')).toEqual([
      'rate_limit_rejected_total{key="acme",tier="paid"} 1',
      'rate_limit_rejected_total{key="address",tier="anonymous"} 2',
    ]);
  });

  it('gives a frequent offender a series that stays', async () => {
    const { signals, series } = open();
    for (let index = 0; index < 150; index++) signals.noteRejection(address('worst'), refused, 1);
    expect(await series('rate_limit_rejected_total')).toEqual([
      'rate_limit_rejected_total{key="address",tier="anonymous"} 99',
      'rate_limit_rejected_total{key="worst",tier="anonymous"} 51',
    ]);
  });

  it('never has more series than were planned, however many offend', async () => {
    const { signals, series } = open();
    for (let offender = 0; offender < 300; offender++)
      for (let index = 0; index < 120; index++)
        signals.noteRejection(address(`offender-${offender}`), refused, 1);
    for (let key = 0; key < 1_500; key++)
      signals.noteRejection({ kind: 'key', tier: 'free', label: `key-${key}` }, refused, 1);
    const lines = await series('rate_limit_rejected_total');
    expect(lines.length).toBeLessThanOrEqual(50 + 1_000 + 3);
    expect(lines.some((line) => line.includes('key="other",tier="anonymous"'))).toBe(true);
    expect(lines.some((line) => line.includes('key="other",tier="free"'))).toBe(true);
  });

  it('samples the log of a flood and says how many lines it left out', () => {
    const { signals, logged } = open();
    for (let index = 0; index < 1_020; index++) signals.noteRejection(address('a'), refused, 5_000);
    expect(logged).toHaveLength(30);
    expect(logged.at(-1)).toMatchObject({ leftOut: 99 });
  });

  it('counts an admission that leaves less than a tenth', async () => {
    const { signals, series } = open();
    const reading = (tokens: number) => ({ ...refused.reported, tokens });
    signals.noteReading(reading(1), 'free');
    signals.noteReading(reading(0.9), 'free');
    expect(await series('rate_limit_near_limit_total')).toEqual([
      'rate_limit_near_limit_total{tier="free",bucket="minute"} 1',
    ]);
  });

  it('lists offenders, the worst first', () => {
    const { signals } = open();
    for (const label of ['a', 'b', 'b']) signals.noteRejection(address(label), refused, 7);
    expect(signals.topOffenders(8)).toEqual([
      { id: 'b', kind: 'address', tier: 'anonymous', count: 2, lastAtMs: 7 },
      { id: 'a', kind: 'address', tier: 'anonymous', count: 1, lastAtMs: 7 },
    ]);
  });
});
