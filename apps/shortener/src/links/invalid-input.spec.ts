import { createLink } from '@gatepost/contracts';
import { invalidInput } from './invalid-input.ts';

function errorsOf(input: unknown) {
  const parsed = createLink.safeParse(input);
  return parsed.success ? [] : invalidInput(parsed.error.issues).errors;
}

describe('invalidInput', () => {
  it('points to every faulty member', () => {
    expect(errorsOf({ longUrl: 1, trackClicks: 'yes' })?.map(({ pointer }) => pointer)).toEqual([
      '/longUrl',
      '/trackClicks',
    ]);
  });

  it('points to each unknown member, with the two signs of JSON Pointers escaped', () => {
    expect(errorsOf({ longUrl: 'x', 'a/b': 1, 'c~d': 2 })).toEqual([
      { pointer: '/a~1b', detail: 'is not a known member' },
      { pointer: '/c~0d', detail: 'is not a known member' },
    ]);
  });

  it.each([[null], [[]], ['text'], [undefined]])(
    'points to the whole when that is wrong: %j',
    (input) => {
      expect(errorsOf(input)).toEqual([{ pointer: '', detail: expect.stringContaining('object') }]);
    },
  );
});
