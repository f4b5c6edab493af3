import { decodePosition, encodePosition } from './page-position.ts';

describe('page positions', () => {
  it('come back as they went out', () => {
    const position = { createdAt: new Date('2026-11-20T12:00:00.123Z'), code: 'aB3dE6g' };
    const cursor = encodePosition(position);
    expect(cursor).toMatch(/^[\w-]+$/);
    expect(decodePosition(cursor)).toEqual(position);
  });

  const made = (text: string) => Buffer.from(text).toString('base64url');
  it.each(['', 'x', '!!!!', 'bm9uc2Vuc2U', made('zz.abc'), made('-zzzzzzzzzz.aB3dE6g')])(
    'are refused when we did not make them: %j',
    (cursor) => {
      expect(decodePosition(cursor)).toBeUndefined();
    },
  );
});
