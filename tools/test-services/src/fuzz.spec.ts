import fc from 'fast-check';
import { runs, withFuzzTime } from './fuzz.ts';

describe('a property', () => {
  const given = { ...process.env };
  beforeEach(() => {
    delete process.env['FUZZ_SECONDS'];
    delete process.env['FUZZ_SEED'];
  });
  afterAll(() => {
    Object.assign(process.env, given);
  });

  const inputsOf = (usual: number): number[] => {
    const inputs: number[] = [];
    fc.assert(
      fc.property(fc.nat(), (input) => {
        inputs.push(input);
      }),
      runs(usual),
    );
    return inputs;
  };

  it('is tried as often as usual', () => {
    expect(inputsOf(7)).toHaveLength(7);
    expect(withFuzzTime(1_000)).toBe(1_000);
  });

  it('is tried for FUZZ_SECONDS, and has the time for it', () => {
    process.env['FUZZ_SECONDS'] = '0.3';
    const begunMs = performance.now();
    expect(inputsOf(1).length).toBeGreaterThan(100);
    expect(performance.now() - begunMs).toBeGreaterThan(250);
    expect(withFuzzTime(1_000)).toBe(1_300);
  });

  it('is tried with the same inputs under the same FUZZ_SEED', () => {
    process.env['FUZZ_SEED'] = '7';
    const inputs = inputsOf(20);
    expect(inputsOf(20)).toEqual(inputs);
    process.env['FUZZ_SEED'] = '8';
    expect(inputsOf(20)).not.toEqual(inputs);
  });

  it('that fails names its seed', () => {
    process.env['FUZZ_SEED'] = '42';
    const property = fc.property(fc.nat(), () => false);
    expect(() => fc.assert(property, runs())).toThrow('FUZZ_SEED=42');
    process.env['FUZZ_SEED'] = 'x';
    expect(() => runs()).toThrow('FUZZ_SEED must be a number');
  });
});
