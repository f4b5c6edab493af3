import { timingSafeEqual } from 'node:crypto';
import {
  checkIdToken,
  type IdTokenClaims,
  type IdTokenExpectations,
  IdTokenRefused,
} from './id-token-checks.ts';

/** The random values of one login. */
export interface LoginSecrets {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/**
 * A login under way. `state` ties the callback to it and is verified before the code is exchanged; `nonce` ties the
 * id_token to it and is deleted after one successful validation: a second id_token never passes.
 */
export class Login {
  #nonce: string | undefined;

  constructor(private readonly secrets: LoginSecrets) {
    this.#nonce = secrets.nonce;
  }

  get state(): string {
    return this.secrets.state;
  }

  get nonce(): string | undefined {
    return this.#nonce;
  }

  get codeVerifier(): string {
    return this.secrets.codeVerifier;
  }

  /** Whether a callback answers the request that this login made. */
  isAnsweredBy(callback: URL): boolean {
    const states = callback.searchParams.getAll('state');
    const given = Buffer.from(states[0] ?? '');
    const expected = Buffer.from(this.secrets.state);
    return (
      states.length === 1 && given.length === expected.length && timingSafeEqual(given, expected)
    );
  }

  async validate(
    idToken: string,
    expected: Omit<IdTokenExpectations, 'nonce'>,
    now: number,
  ): Promise<IdTokenClaims | IdTokenRefused> {
    const nonce = this.#nonce;
    if (nonce === undefined) return new IdTokenRefused('wrong-nonce');
    // Taken out before the wait, so that two validations at once cannot both have it; a failed one puts it back.
    this.#nonce = undefined;
    const verdict = await checkIdToken(idToken, { ...expected, nonce }, now);
    if (verdict instanceof IdTokenRefused) this.#nonce = nonce;
    return verdict;
  }
}
