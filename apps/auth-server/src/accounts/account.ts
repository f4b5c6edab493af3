/** A person who can sign in. `id` is the subject of every token and is never given to anybody else. */
export interface Account {
  readonly id: string;
  /** As typed at registration; unique without regard to case. */
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string | undefined;
  /** Further claims of the profile scope. */
  readonly profile: Readonly<Record<string, unknown>>;
  readonly address: PostalAddress | undefined;
  readonly phoneNumber: string | undefined;
  readonly phoneNumberVerified: boolean;
  readonly disabled: boolean;
  /** The password was given out by an operator: the next sign-in has to choose another one. */
  readonly passwordIsTemporary: boolean;
  readonly passwordChangedAt: Date;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The members of the address claim (OpenID Connect Core 5.1.1) that we keep. */
export interface PostalAddress {
  readonly street_address?: string;
  readonly locality?: string;
  readonly region?: string;
  readonly postal_code?: string;
  readonly country?: string;
}

/** RFC 5321 4.5.3.1.3: 256 octets of path, less the angle brackets. */
const EMAIL_LENGTH = 254;
const NAME_LENGTH = 100;

/** The form in which two spellings of one address are equal. The database compares in the same way, by lower case. */
export function toEmailKey(email: string): string {
  return email.trim().normalize('NFC').toLowerCase();
}

/** What is wrong with an address, for its owner to read; undefined when nothing is. */
export function judgeEmail(email: string): string | undefined {
  if (email === '') return 'Enter your email address';
  if (email.length > EMAIL_LENGTH) return `Use an email address of at most ${EMAIL_LENGTH} letters`;
  // The server of the address has the last word on its form; this only catches slips and control characters.
  if (
    !/^[^\s@"<>(),;:\\]+@[^\s@"<>(),;:\\]+\.[^\s@"<>(),;:\\.]+$/u.test(email) ||
    hasControl(email)
  )
    return 'Enter an email address like name@example.com';
  return undefined;
}

/** What is wrong with a person's name; undefined when nothing is. Names follow no form, so only the length is judged. */
export function judgeName(name: string): string | undefined {
  if (name === '') return 'Enter your name';
  if ([...name].length > NAME_LENGTH) return `Use a name of at most ${NAME_LENGTH} letters`;
  if (hasControl(name)) return 'Use letters, not control characters';
  return undefined;
}

/** What is wrong with a phone number; undefined when nothing is. OpenID Connect recommends E.164. */
export function judgePhoneNumber(number: string): string | undefined {
  if (/^\+[1-9]\d{6,14}$/.test(number.replace(/[\s().-]/g, ''))) return undefined;
  return 'Enter the number with its country code, like +49 30 123456';
}

/** A line of an address may be anything that fits on an envelope. */
export function judgeAddressLine(line: string): string | undefined {
  if ([...line].length > 200) return 'Use at most 200 letters';
  if (hasControl(line.replace(/\r?\n/g, ''))) return 'Use letters, not control characters';
  return undefined;
}

/** Unicode's control and format characters: the latter can turn the direction of a whole line (U+202E). */
function hasControl(text: string): boolean {
  return /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u.test(text);
}
