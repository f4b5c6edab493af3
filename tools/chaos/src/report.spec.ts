import { type Result, toMarkdown } from './report.ts';

const result = (overrides: Partial<Result>): Result => ({
  name: 'one',
  promise: 'Nothing is lost.',
  verdict: 'held',
  observed: '10 of 10',
  faults: [],
  seconds: 3,
  ...overrides,
});

describe('the table at the end', () => {
  it('has a row for each scenario and names the faults', () => {
    const broken = result({ name: 'two', verdict: 'broken', faults: ['a | b\n  lost'] });
    const text = toMarkdown([result({}), broken]);
    expect(text).toContain('| one | Nothing is lost. | 10 of 10 | held | 3 |');
    expect(text).toContain('| two | Nothing is lost. | 10 of 10 | **broken** | 3 |');
    expect(text).toContain('- two: a \\| b lost');
    expect(text).toContain('1 held, 1 broken, 0 skipped, in 0.1 min.');
  });
});
