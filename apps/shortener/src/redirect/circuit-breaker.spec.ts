import { CircuitBreaker } from './circuit-breaker.ts';

describe('CircuitBreaker', () => {
  it('leaves the store alone after enough failures in a row, then lets one call try', () => {
    const breaker = new CircuitBreaker({ threshold: 3, restMs: 200 });
    for (const now of [0, 1, 2]) {
      expect(breaker.allows(now)).toBe(true);
      breaker.recordFailure(now);
    }
    expect(breaker.allows(3)).toBe(false);
    expect(breaker.allows(201)).toBe(false);
    expect(breaker.allows(202)).toBe(true);
    expect(breaker.allows(203)).toBe(false);
    breaker.recordSuccess();
    expect(breaker.allows(204)).toBe(true);
  });

  it('rests again when the try fails', () => {
    const breaker = new CircuitBreaker({ threshold: 1, restMs: 200 });
    breaker.recordFailure(0);
    expect(breaker.allows(200)).toBe(true);
    breaker.recordFailure(250);
    expect(breaker.allows(420)).toBe(false);
    expect(breaker.allows(450)).toBe(true);
  });

  it('counts only failures in a row', () => {
    const breaker = new CircuitBreaker({ threshold: 2, restMs: 200 });
    breaker.recordFailure(0);
    breaker.recordSuccess();
    breaker.recordFailure(1);
    expect(breaker.allows(2)).toBe(true);
  });
});
