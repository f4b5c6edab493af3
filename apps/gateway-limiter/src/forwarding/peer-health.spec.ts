import { PeerHealth } from './peer-health.ts';

const rule = { failures: 3, ejectionMs: 1_000, maxEjectionMs: 3_000 };

function eject(health: PeerHealth, now: number): boolean {
  let ejected = false;
  for (let count = 0; count < 3; count++) ejected = health.recordFailure(now, rule, true);
  return ejected;
}

describe('the health of a peer', () => {
  it('is put aside after failures in a row, for a while', () => {
    const health = new PeerHealth();
    expect(eject(health, 0)).toBe(true);
    expect([health.isEjected(999), health.isEjected(1_000)]).toEqual([true, false]);
  });

  it('forgets failures that a success came between', () => {
    const health = new PeerHealth();
    health.recordFailure(0, rule, true);
    health.recordFailure(0, rule, true);
    health.recordSuccess();
    expect(health.recordFailure(0, rule, true)).toBe(false);
  });

  it('stays away twice as long each time, up to the longest', () => {
    const health = new PeerHealth();
    const lengths: number[] = [];
    let now = 1;
    for (let round = 0; round < 4; round++) {
      eject(health, now);
      let end = now;
      while (health.isEjected(end)) end++;
      lengths.push(end - now);
      now = end;
    }
    expect(lengths).toEqual([1_000, 2_000, 3_000, 3_000]);
  });

  it('is trusted a little more with each good return', () => {
    const health = new PeerHealth();
    eject(health, 1);
    eject(health, 1_001);
    health.recordSuccess();
    eject(health, 5_000);
    expect([health.isEjected(6_999), health.isEjected(7_000)]).toEqual([true, false]);
  });

  it('stays in when too few would be left', () => {
    const health = new PeerHealth();
    for (let count = 0; count < 9; count++)
      expect(health.recordFailure(0, rule, false)).toBe(false);
  });

  it('follows its probes after as many in a row as are asked for', () => {
    const health = new PeerHealth();
    const probes = { unhealthyAfter: 2, healthyAfter: 3 };
    const alive = [false, true, false, false, true, true, true].map((passed) => {
      health.recordProbe(passed, probes);
      return health.isAlive;
    });
    expect(alive).toEqual([true, true, true, false, false, false, true]);
  });
});
