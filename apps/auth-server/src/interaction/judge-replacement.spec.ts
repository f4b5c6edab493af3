import { judgeReplacement } from './judge-replacement.ts';

describe('a password that takes the place of another one', () => {
  const owner = { email: 'demo@example.com', name: 'Demo' };

  it('must be another one', () => {
    expect(judgeReplacement('tall green lamps', 'tall green lamps', owner)).toMatch(/another/);
    expect(judgeReplacement('tall green lamps', 'old', owner)).toBeUndefined();
  });

  it('must be a good one', () => {
    expect(judgeReplacement('', '', owner)).toMatch(/Choose a password/);
    expect(judgeReplacement('password1', 'old', owner)).toMatch(/common/);
  });
});
