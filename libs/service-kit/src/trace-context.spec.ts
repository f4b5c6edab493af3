import { formatTraceparent, newTraceContext, parseTraceparent } from './trace-context.ts';

const valid = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('a traceparent', () => {
  it('is read and written', () => {
    const context = parseTraceparent(valid);
    expect(context).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: 'b7ad6b7169203331',
      flags: 1,
    });
    expect(context && formatTraceparent(context)).toBe(valid);
  });

  it('of a version to come is read as far as it is known', () => {
    expect(parseTraceparent(`${valid.replace(/^00/, 'cc')}-what-the-future-holds`)).toEqual(
      parseTraceparent(valid),
    );
  });

  it.each([
    ['absent', undefined],
    ['given twice', [valid, valid]],
    ['upper case', valid.toUpperCase()],
    ['an all-zero trace', valid.replace(/-0af\w+/, `-${'0'.repeat(32)}`)],
    ['an all-zero parent', valid.replace('b7ad6b7169203331', '0'.repeat(16))],
    ['longer than its version allows', `${valid}-more`],
    ['the forbidden version', valid.replace(/^00/, 'ff')],
  ])('%s is not one', (_what, header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  it('that begins here is valid and not kept', () => {
    const context = newTraceContext();
    expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
    expect(context.flags).toBe(0);
  });
});
