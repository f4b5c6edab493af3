import {
  judgeAddressLine,
  judgeEmail,
  judgeName,
  judgePhoneNumber,
  toEmailKey,
} from './account.ts';

describe('email addresses', () => {
  it.each([
    'demo@example.com',
    'a.b+tag@sub.example.co',
    "o'brien@example.com",
    'ünï@exämple.de',
    `${'a'.repeat(242)}@example.com`,
  ])('takes %s', (email) => expect(judgeEmail(email)).toBeUndefined());

  it.each([
    ['', 'Enter your email address'],
    ['demo', 'Enter an email address like name@example.com'],
    ['demo@localhost', 'Enter an email address like name@example.com'],
    ['a b@example.com', 'Enter an email address like name@example.com'],
    ['a@b@example.com', 'Enter an email address like name@example.com'],
    ['<script>@example.com', 'Enter an email address like name@example.com'],
    ['demo@example.', 'Enter an email address like name@example.com'],
    ['a\u0000@example.com', 'Enter an email address like name@example.com'],
    ['a\u202e@example.com', 'Enter an email address like name@example.com'],
    [`${'a'.repeat(250)}@example.com`, 'Use an email address of at most 254 letters'],
  ])('refuses %j', (email, fault) => expect(judgeEmail(email)).toBe(fault));

  it('compares without regard to case, spaces around and composition of accents', () => {
    expect(toEmailKey(' De\u0301mo@Example.COM ')).toBe(toEmailKey('d\u00e9mo@example.com'));
  });
});

describe('names', () => {
  it.each(['Demo User', '李小龍', "D'Arcy-Jones", 'Bjørn ☃'])('takes %s', (name) =>
    expect(judgeName(name)).toBeUndefined(),
  );

  it.each(['', 'a'.repeat(101), 'line\nbreak', 'turned\u202eround', '\ud800'])(
    'refuses %j',
    (name) => expect(judgeName(name)).toEqual(expect.any(String)),
  );
});

describe('phone numbers and address lines', () => {
  it.each(['+49 30 123456', '+1 (555) 010-0000', '+442079460000'])('takes %s', (number) =>
    expect(judgePhoneNumber(number)).toBeUndefined(),
  );

  it.each(['030 123456', '+0 123456', '+49', 'call me', `+${'1'.repeat(16)}`])(
    'refuses %s',
    (number) => expect(judgePhoneNumber(number)).toMatch(/country code/),
  );

  it('takes any line that fits on an envelope and no control characters', () => {
    expect(judgeAddressLine('1 Main Street\nBack yard')).toBeUndefined();
    expect(judgeAddressLine('a\u0007b')).toMatch(/control/);
    expect(judgeAddressLine('a'.repeat(201))).toMatch(/200/);
  });
});
