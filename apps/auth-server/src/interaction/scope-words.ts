/** What a permission means to the person who is asked for it. */
export interface ScopeWords {
  readonly title: string;
  readonly detail?: string;
}

const SCOPES: Readonly<Record<string, ScopeWords>> = {
  openid: {
    title: 'Recognise you',
    detail: 'An identifier of your account here, the same at every sign-in',
  },
  profile: { title: 'See your profile', detail: 'Your name and what else you have entered there' },
  email: { title: 'See your email address', detail: 'And whether it has been verified' },
  address: { title: 'See your postal address' },
  phone: { title: 'See your phone number', detail: 'And whether it has been verified' },
  offline_access: {
    title: 'Stay connected while you are away',
    detail: 'Until you end it on your account page',
  },
  'links:read': { title: 'See your links', detail: 'And how often they are clicked' },
  'links:write': { title: 'Create, change and delete links', detail: 'In your name' },
};

const CLAIMS: Readonly<Record<string, string>> = {
  name: 'your name',
  given_name: 'your given name',
  family_name: 'your family name',
  middle_name: 'your middle name',
  nickname: 'your nickname',
  preferred_username: 'your user name',
  profile: 'the address of your profile page',
  picture: 'your picture',
  website: 'your website',
  gender: 'your gender',
  birthdate: 'your date of birth',
  zoneinfo: 'your time zone',
  locale: 'your language',
  updated_at: 'when your profile last changed',
  email: 'your email address',
  email_verified: 'whether your email address has been verified',
  phone_number: 'your phone number',
  phone_number_verified: 'whether your phone number has been verified',
  address: 'your postal address',
};

/** A scope in words. One that nobody described is named as it is rather than hidden. */
export function describeScope(scope: string): ScopeWords {
  // The table is asked for its own members only: `constructor` is no scope of ours.
  const words = Object.hasOwn(SCOPES, scope) ? SCOPES[scope] : undefined;
  return words ?? { title: `Use the permission “${scope}”` };
}

/** Single facts about a person, asked for by name, in one line. */
export function describeClaims(claims: readonly string[]): ScopeWords {
  const known = claims.map((claim) =>
    Object.hasOwn(CLAIMS, claim) ? (CLAIMS[claim] as string) : `“${claim}”`,
  );
  return { title: `See ${joinWords(known)}` };
}

function joinWords(words: readonly string[]): string {
  if (words.length < 2) return words.join('');
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
}
