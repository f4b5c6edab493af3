import { chooseStep, type InteractionFacts } from './next-step.ts';

const ACR = 'urn:example:password';
const facts = (
  name: string,
  reasons: string[],
  rest: Partial<InteractionFacts> & { details?: Record<string, unknown> } = {},
): InteractionFacts => ({
  prompt: { name, reasons, details: rest.details ?? {} },
  hasSession: rest.hasSession ?? false,
  hasSignedIn: rest.hasSignedIn ?? false,
});

describe('the next step of an interaction', () => {
  it.each([
    ['nobody is signed in', facts('login', ['no_session']), 'needed'],
    ['the application asks again', facts('login', ['login_prompt'], { hasSession: true }), 'again'],
    ['the sign-in is too old', facts('login', ['max_age'], { hasSession: true }), 'again'],
    [
      'another person is signed in',
      facts('login', ['id_token_hint'], { hasSession: true }),
      'other-person',
    ],
    [
      'another person has just signed in',
      facts('login', ['claims_id_token_sub_value'], { hasSignedIn: true }),
      'other-person',
    ],
    [
      'a certain person is expected and nobody is signed in',
      facts('login', ['no_session', 'id_token_hint']),
      'needed',
    ],
  ])('is to sign in when %s', (_when, given, why) =>
    expect(chooseStep(given, ACR)).toEqual({ kind: 'sign-in', why }),
  );

  it('is to sign in when that reaches the level that is asked for', () => {
    const given = facts('login', ['essential_acrs'], { details: { acr: { values: ['x', ACR] } } });
    expect(chooseStep(given, ACR)).toEqual({ kind: 'sign-in', why: 'needed' });
    const single = facts('login', ['essential_acr'], { details: { acr: { value: ACR } } });
    expect(chooseStep(single, ACR)).toMatchObject({ kind: 'sign-in' });
  });

  it.each([{ values: ['urn:mace:gold'] }, { value: 'urn:mace:gold' }, undefined])(
    'is to say so when no sign-in reaches the level: %j',
    (acr) =>
      expect(
        chooseStep(facts('login', ['essential_acrs'], { details: { acr } }), ACR),
      ).toMatchObject({ kind: 'end', error: 'unmet_authentication_requirements' }),
  );

  it('is consent when the protocol wants that', () => {
    expect(chooseStep(facts('consent', ['op_scopes_missing']), ACR)).toEqual({ kind: 'consent' });
  });

  it('is the page that the application asked for by name', () => {
    expect(chooseStep(facts('create', ['create_prompt']), ACR)).toEqual({ kind: 'register' });
    expect(chooseStep(facts('select_account', ['select_account_prompt']), ACR)).toEqual({
      kind: 'choose-account',
    });
  });

  it('is an end when the protocol wants what no page knows', () => {
    expect(chooseStep(facts('dance', []), ACR)).toMatchObject({
      kind: 'end',
      error: 'interaction_required',
    });
  });
});
