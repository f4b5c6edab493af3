import { readConsent } from '../accounts/consent-record.ts';
import {
  describeAllowed,
  describeRequested,
  isNothing,
  mergeAllowed,
  toMissing,
} from './consent.ts';

const API = 'https://links.example';
const nothing = { oidcScopes: [], oidcClaims: [], resourceScopes: {} };

describe('consent', () => {
  it('asks only for what the protocol misses', () => {
    const missing = toMissing({
      missingOIDCScope: ['email'],
      missingResourceScopes: { [API]: ['links:write'] },
    });
    expect(describeAllowed(missing, API).map(({ title }) => title)).toEqual([
      'See your email address',
      'Create, change and delete links',
    ]);
    expect(isNothing(missing)).toBe(false);
    expect(isNothing(toMissing({}))).toBe(true);
    expect(isNothing({ ...nothing, resourceScopes: { [API]: [] } })).toBe(true);
  });

  it('adds to what was allowed before, each permission once', () => {
    const before = { oidcScopes: ['openid'], oidcClaims: [], resourceScopes: { a: ['x'] } };
    const more = {
      oidcScopes: ['openid', 'email'],
      oidcClaims: ['name'],
      resourceScopes: { a: ['y'], b: ['z'] },
    };
    expect(mergeAllowed(before, more)).toEqual({
      oidcScopes: ['openid', 'email'],
      oidcClaims: ['name'],
      resourceScopes: { a: ['x', 'y'], b: ['z'] },
    });
  });

  it('names single facts in one line, those of a scope not twice', () => {
    const allowed = {
      ...nothing,
      oidcScopes: ['email'],
      oidcClaims: ['email', 'name', 'picture', 'odd'],
    };
    expect(describeAllowed(allowed, API).map(({ title }) => title)).toEqual([
      'See your email address',
      'See your name, your picture and “odd”',
    ]);
  });

  it('says where a permission counts when the API is not ours', () => {
    const allowed = { ...nothing, resourceScopes: { 'https://other.example': ['links:read'] } };
    expect(describeAllowed(allowed, API)).toEqual([
      {
        title: 'See your links',
        detail: 'And how often they are clicked, at https://other.example',
      },
    ]);
  });

  it('names a scope that nobody described rather than hiding it', () => {
    for (const scope of ['payments:send', 'constructor', '__proto__'])
      expect(describeAllowed({ ...nothing, oidcScopes: [scope] }, API)).toEqual([
        { title: `Use the permission “${scope}”` },
      ]);
  });

  it('puts lasting access last', () => {
    const allowed = {
      ...nothing,
      oidcScopes: ['offline_access', 'openid'],
      resourceScopes: { [API]: ['links:read'] },
    };
    expect(describeAllowed(allowed, API).at(-1)?.title).toBe('Stay connected while you are away');
  });

  it('describes a request by its scopes', () => {
    expect(describeRequested('openid email openid').map(({ title }) => title)).toEqual([
      'Recognise you',
      'See your email address',
    ]);
    expect(describeRequested(undefined)).toEqual([]);
  });

  it.each([undefined, null, 7, 'x', [], { oidcScopes: 'email' }, { resourceScopes: { a: 'b' } }])(
    'reads %j from the store as nothing allowed',
    (stored) => expect(isNothing(readConsent(stored))).toBe(true),
  );
});
