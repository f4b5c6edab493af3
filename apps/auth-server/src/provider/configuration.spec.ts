import { addressesOf } from '../env.ts';
import { testEnv } from '../testing/protocol-server.ts';
import { type ProtocolParts, protocolConfiguration } from './configuration.ts';
import { PlainPages } from './plain-pages.ts';

/** The library's own list of its options; it has no types. */
const DEFAULTS: string = 'oidc-provider/lib/helpers/defaults.js';

/** Options whose members are not the library's: scopes, claims, metadata, attributes of cookies. */
const NAMED_ELSEWHERE = new Set(
  ['claims clientDefaults discovery extraParams jwks', 'long short'].flatMap((line) =>
    line.split(' '),
  ),
);

type Options = Record<string, unknown>;

const isOptions = (value: unknown): value is Options =>
  typeof value === 'object' &&
  value !== null &&
  Object.getPrototypeOf(value) === Object.prototype &&
  Object.keys(value).length > 0;

/** Paths of options that the library does not know. It ignores them silently. */
function unknownOptions(options: Options, known: Options, path = ''): string[] {
  return Object.entries(options).flatMap(([name, value]) => {
    if (!(name in known)) return [`${path}${name}`];
    if (NAMED_ELSEWHERE.has(name) || !isOptions(value) || !isOptions(known[name])) return [];
    return unknownOptions(value, known[name] as Options, `${path}${name}.`);
  });
}

const configurationOf = (overrides: Record<string, string>) => {
  const env = testEnv('postgres://nowhere', overrides);
  const never = () => undefined as never;
  return protocolConfiguration({
    env,
    addresses: addressesOf(env),
    jwks: { keys: [] },
    pages: new PlainPages(),
    ...{ adapter: never, findAccount: never, loadExistingGrant: never },
    ...{ registrationOf: never, fetch: never },
  } as unknown as ProtocolParts) as Options;
};

describe('the configuration of the library', () => {
  let known: Options;
  beforeAll(async () => {
    const { defaults } = (await import(DEFAULTS)) as { defaults: Options };
    // The adapter has no default there.
    known = { adapter: undefined, ...defaults };
  });

  it.each([{}, { AUTH_STRICT: 'false' }, { DYNAMIC_REGISTRATION: 'true' }])(
    'has no option that it does not know, under %j',
    (overrides) => {
      expect(unknownOptions(configurationOf(overrides as Record<string, string>), known)).toEqual(
        [],
      );
    },
  );

  it('would be caught with a slip of the pen', () => {
    expect(
      unknownOptions(
        { rotateRefreshTokens: true, features: { dpop: {} }, ttl: { Sesion: 1 } },
        known,
      ),
    ).toEqual(['rotateRefreshTokens', 'features.dpop', 'ttl.Sesion']);
  });

  it('keeps no client in the library, where it would stay for ever', () => {
    expect(configurationOf({})).not.toHaveProperty('clients');
  });
});
