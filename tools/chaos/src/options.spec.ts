import { OptionRefused, readOptions } from './options.ts';

const SCENARIOS = ['one', 'two'];

describe('the options of chaos', () => {
  it('run every scenario unless told otherwise', () => {
    expect(readOptions([], SCENARIOS)).toEqual({
      only: undefined,
      list: false,
      json: undefined,
      kafkaAwaySeconds: 60,
    });
  });

  it('name scenarios, a file and a time', () => {
    const args = ['--only', 'two, one', '--json', 'out.json', '--kafka-away', '90', '--list'];
    expect(readOptions(args, SCENARIOS)).toEqual({
      only: ['two', 'one'],
      list: true,
      json: 'out.json',
      kafkaAwaySeconds: 90,
    });
  });

  it.each([
    [['--only', 'three'], 'There is no scenario three; there are one, two.'],
    [['--kafka-away', 'long'], '--kafka-away takes seconds from 5 to 600, not "long".'],
    [['--kafka-away', '1'], '--kafka-away takes seconds from 5 to 600, not "1".'],
  ])('refuse %j', (args, message) => {
    expect(() => readOptions(args, SCENARIOS)).toThrow(new OptionRefused(message));
  });
});
