import { judgeNewPassword, toPasswordBytes } from './new-password.ts';

const owner = { email: 'demo.user@example.com', name: 'Demo Person' };

describe('a new password', () => {
  it.each([
    'correct-horse-battery',
    'tall green lamps',
    'xK9$mq2Lp',
    'пароль с пробелами',
    'bicycle underneath 7',
    '  spaces count  ',
    'fffunny-otters',
    'demo.user likes trains',
  ])('may be %j', (password) => expect(judgeNewPassword(password, owner)).toBeUndefined());

  it.each([
    ['', /Choose/],
    ['short 7', /at least 8/],
    ['🙂'.repeat(7), /at least 8/],
    ['a1b2c3'.repeat(50), /at most 256/],
    ['password', /common/],
    ['Password1!', /common/],
    ['P@ssw0rd2026', /common/],
    ['iloveyou123', /common/],
    ['Summer2026!', /common/],
    ['qwertyuiop', /guesser/],
    ['12345678', /guesser/],
    ['87654321', /guesser/],
    ['11111111', /guesser/],
    ['abababab', /guesser/],
    ['abcabcabc', /guesser/],
    ['abcdefgh', /guesser/],
    ['1qaz2wsx', /guesser/],
    ['qwerty123456', /guesser/],
    ['demo.user@example.com', /name or address/],
    ['Demo.User99', /name or address/],
    ['PersonPerson', /name or address/],
  ])('may not be %j', (password, fault) =>
    expect(judgeNewPassword(password, owner)).toMatch(fault),
  );

  it('is never changed but for the composition of accents', () => {
    expect(toPasswordBytes('  Pässwort ')).toEqual(Buffer.from('  Pässwort '));
    expect(toPasswordBytes('a\u0308')).toEqual(toPasswordBytes('\u00e4'));
  });
});
