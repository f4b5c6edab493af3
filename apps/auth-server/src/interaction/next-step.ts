/** The parts of a protocol interaction that decide what the person sees. */
export interface InteractionFacts {
  readonly prompt: {
    readonly name: string;
    readonly reasons: readonly string[];
    readonly details: Readonly<Record<string, unknown>>;
  };
  readonly hasSession: boolean;
  /** The person has just signed in, and the protocol asks again. */
  readonly hasSignedIn: boolean;
}

export type Step =
  | { readonly kind: 'sign-in'; readonly why: SignInReason }
  | { readonly kind: 'register' }
  | { readonly kind: 'choose-account' }
  | { readonly kind: 'consent' }
  | { readonly kind: 'end'; readonly error: string; readonly description: string };

/** Why somebody has to sign in; the page says so. */
export type SignInReason =
  /** Nobody is signed in. */
  | 'needed'
  /** Somebody is, but the application wants to be sure that it is still them. */
  | 'again'
  /** The application expects a certain person (`id_token_hint`, `claims`), and it is not this one. */
  | 'other-person';

/** What happens next in an interaction. */
export function chooseStep(facts: InteractionFacts, supportedAcr: string): Step {
  const { name, reasons, details } = facts.prompt;
  if (name === 'consent') return { kind: 'consent' };
  if (name === 'create') return { kind: 'register' };
  if (name === 'select_account') return { kind: 'choose-account' };
  if (name !== 'login')
    return {
      kind: 'end',
      error: 'interaction_required',
      description: 'the requested interaction is not supported',
    };
  // Signing in as often as one likes would not raise the level; without this the person would be asked for ever.
  if (!isAcrWithinReach(reasons, details['acr'], supportedAcr))
    return {
      kind: 'end',
      error: 'unmet_authentication_requirements',
      description: 'the requested authentication context cannot be reached',
    };
  if (reasons.includes('id_token_hint') || reasons.includes('claims_id_token_sub_value')) {
    const isWrongPerson = facts.hasSession || facts.hasSignedIn;
    return { kind: 'sign-in', why: isWrongPerson ? 'other-person' : 'needed' };
  }
  return { kind: 'sign-in', why: facts.hasSession ? 'again' : 'needed' };
}

function isAcrWithinReach(
  reasons: readonly string[],
  requested: unknown,
  supported: string,
): boolean {
  if (!reasons.includes('essential_acr') && !reasons.includes('essential_acrs')) return true;
  const { value, values } = (requested ?? {}) as { value?: unknown; values?: unknown };
  return value === supported || (Array.isArray(values) && values.includes(supported));
}
