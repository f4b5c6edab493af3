/** Shortest password (ASVS 5, 6.2.1). */
export const PASSWORD_MIN = 8;
/** Longest one; far above what anybody types, low enough that hashing it costs nothing extra. */
export const PASSWORD_MAX = 256;

/** Whose password it is to be: words that a guesser tries first. */
export interface PasswordOwner {
  readonly email: string;
  readonly name: string;
}

/**
 * The form in which a password is hashed: composed as RFC 8265 (OpaqueString) has it, so that the same keys pressed on
 * another system give the same password. Nothing is trimmed or folded.
 */
export function toPasswordBytes(password: string): Buffer {
  return Buffer.from(password.normalize('NFC'), 'utf8');
}

/**
 * What is wrong with a password that somebody wants to have; undefined when nothing is. Length and guessability count,
 * kinds of characters do not (NIST SP 800-63B-4, 3.1.1.2).
 */
export function judgeNewPassword(password: string, owner: PasswordOwner): string | undefined {
  const length = [...password].length;
  if (length === 0) return 'Choose a password';
  if (length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters`;
  if (length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX} characters`;
  const bare = toBareWord(password);
  if (isPattern(password)) return 'This is one of the first things a guesser tries; choose another';
  if (COMMON_WORDS.has(bare)) return 'This password is very common; choose another';
  if (ownWords(owner).has(bare))
    return 'A password made of your name or address is easy to guess; choose another';
  return undefined;
}

/** Letters that are written as digits and signs, as in `p4ssw0rd`. */
const LOOKALIKES: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'l',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** What is left when the decorations that fool nobody are taken off: case, trailing numbers and signs, lookalikes. */
function toBareWord(password: string): string {
  const undecorated = password
    .toLowerCase()
    .replace(/[^\p{L}]+$/u, '')
    .replace(/^[^\p{L}@$0-9]+/u, '');
  return undecorated
    .replace(/[0134578@$!]/g, (sign) => LOOKALIKES[sign] ?? sign)
    .replace(/[\s._-]/g, '');
}

/** One character or a short piece over and over, or a run along the alphabet, the digits or a row of keys. */
function isPattern(password: string): boolean {
  const text = password.toLowerCase();
  if (/^(.{1,3})\1+.{0,2}$/su.test(text)) return true;
  const pieces = text.split(/[^a-z0-9]+/).filter(Boolean);
  return pieces.length > 0 && pieces.every((piece) => piece.length < 3 || isRun(piece));
}

const RUNS = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
  '1q2w3e4r5t6z7u8i9o0p',
  '1q2w3e4r5t6y7u8i9o0p',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm',
];

function isRun(text: string): boolean {
  let rest = text;
  while (rest.length > 0) {
    const longest = RUNS.map((run) =>
      Math.max(commonStart(rest, run), commonStart(rest, [...run].reverse().join(''))),
    ).reduce((best, length) => Math.max(best, length), 0);
    if (longest < 3) return rest.length < 3 && rest !== text;
    rest = rest.slice(longest);
  }
  return true;
}

/** Length of the longest start of `text` that occurs in `run`. */
function commonStart(text: string, run: string): number {
  let length = 0;
  while (length < text.length && run.includes(text.slice(0, length + 1))) length++;
  return length;
}

function ownWords({ email, name }: PasswordOwner): Set<string> {
  const parts = [
    email,
    email.split('@')[0] ?? '',
    ...email.split(/[@.+_-]/),
    name,
    ...name.split(/\s+/),
  ];
  return new Set(
    parts
      .map(toBareWord)
      .filter((part) => part.length >= 3)
      .flatMap((part) => [part, part + part]),
  );
}

/**
 * Words that lead every list of leaked passwords, bare: with numbers and signs behind them, capitals and lookalikes they
 * are found as well, so a hundred words stand for many thousand passwords.
 */
const COMMON_WORDS = new Set(
  (
    'password passwort passwd pass passw passphrase secret secretpassword mypassword thepassword yourpassword ' +
    'letmein letmeinplease welcome welcomehome changeme changeit default admin administrator root master user login ' +
    'guest test testing tester testtest demo demodemo qwerty qwertyuiop qwertyqwerty qwertz azerty asdf asdfasdf asdfghjkl zxcvbnm ' +
    'iloveyou ilovey iloveu loveyou lovely love lover princess prince sunshine monkey dragon football baseball basketball ' +
    'soccer hockey superman batman spiderman pokemon starwars trustnol trustnoone whatever computer internet samsung google ' +
    'facebook linkedin dropbox adobe adobeadobe photoshop microsoft windows apple iphone android michael jennifer jessica ' +
    'ashley daniel charlie thomas jordan hunter ranger buster george andrew matthew joshua robert william anthony maggie ' +
    'shadow killer ninja mustang corvette ferrari mercedes porsche harley access freedom liverpool chelsea arsenal barcelona ' +
    'manchester summer winter spring autumn january february march april june july august september october november december ' +
    'monday tuesday wednesday thursday friday saturday sunday flower chocolate cookie cheese banana orange pepper ginger purple ' +
    'silver golden diamond angel angels jesus jesuschrist blessed heaven hello hellohello helloworld abc abcabc abcd abcde ' +
    'correcthorsebatterystaple fuckyou fuckoff asshole pussy biteme gatepost gatepostgatepost'
  ).split(' '),
);
