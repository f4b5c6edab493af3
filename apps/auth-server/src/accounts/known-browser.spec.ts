import { randomBytes } from 'node:crypto';
import { recogniseBrowser, rememberBrowser } from './known-browser.ts';
import { deriveSecrets } from './signing-secrets.ts';

const secrets = deriveSecrets(['a-key-of-twenty-four-letters'], 'known-browser');
const owner = { id: 'person-1', passwordChangedAt: new Date(0) };
const newId = () => randomBytes(16).toString('base64url');

describe('a known browser', () => {
  it('is recognised by the cookie it was given', () => {
    const id = newId();
    expect(recogniseBrowser(rememberBrowser(undefined, owner, secrets, id), owner, secrets)).toBe(
      id,
    );
  });

  it.each([
    ['no cookie', undefined],
    ['an empty one', ''],
    ['a forged one', `${newId()}.${'A'.repeat(43)}`],
    ['nonsense', '~~..~a.b'],
  ])('is not recognised by %s', (_what, cookie) =>
    expect(recogniseBrowser(cookie, owner, secrets)).toBeUndefined(),
  );

  it('is a stranger to another account', () => {
    const cookie = rememberBrowser(undefined, owner, secrets, newId());
    expect(recogniseBrowser(cookie, { ...owner, id: 'person-2' }, secrets)).toBeUndefined();
  });

  it('is a stranger again once the password was changed', () => {
    const cookie = rememberBrowser(undefined, owner, secrets, newId());
    const changed = { ...owner, passwordChangedAt: new Date(1) };
    expect(recogniseBrowser(cookie, changed, secrets)).toBeUndefined();
  });

  it('keeps its cookie when the owner signs in again', () => {
    const cookie = rememberBrowser(undefined, owner, secrets, newId());
    expect(rememberBrowser(cookie, owner, secrets, newId())).toBeUndefined();
  });

  it('knows several people, the five latest', () => {
    const people = Array.from({ length: 6 }, (_, index) => ({ ...owner, id: `person-${index}` }));
    let cookie: string | undefined;
    for (const person of people) cookie = rememberBrowser(cookie, person, secrets, newId());
    const known = people.map((person) => recogniseBrowser(cookie, person, secrets) !== undefined);
    expect(known).toEqual([false, true, true, true, true, true]);
  });

  it('stays known while keys rotate', () => {
    const cookie = rememberBrowser(undefined, owner, secrets, newId());
    const [fresh] = deriveSecrets(['another-key-of-24-letters'], 'known-browser');
    expect(recogniseBrowser(cookie, owner, [fresh as Buffer, ...secrets])).toBeDefined();
  });
});
