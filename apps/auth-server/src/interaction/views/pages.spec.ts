import { createHash } from 'node:crypto';
import type { Account } from '../../accounts/account.ts';
import { accountPaths } from '../paths.ts';
import { renderAccount } from './account-page.ts';
import { renderChooseAccount } from './choose-account-page.ts';
import { renderConsent } from './consent-page.ts';
import { renderDeviceConfirm, renderDeviceInput } from './device-page.ts';
import { renderNewPassword } from './new-password-page.ts';
import { renderNotice } from './notice-page.ts';
import { renderProfile } from './profile-page.ts';
import { renderRegistration } from './registration-page.ts';
import { renderRemoval } from './removal-page.ts';
import { renderSignIn } from './sign-in-page.ts';
import { renderSignOut } from './sign-out-page.ts';
import { STYLE, STYLE_HASH } from './style.ts';

const EVIL = '"><img src=x onerror=alert(1)>';
const form = { action: '/a', token: EVIL };
const library = { action: '/a', xsrf: EVIL };
const faults = { form: EVIL, fields: { email: EVIL, password: EVIL, user_code: EVIL, name: EVIL } };
const account = {
  id: 'id',
  email: EVIL,
  name: EVIL,
  emailVerified: false,
  address: { locality: EVIL },
  phoneNumber: EVIL,
  passwordChangedAt: new Date(0),
} as unknown as Account;
const client = {
  name: EVIL,
  homepage: undefined,
  policy: undefined,
  terms: undefined,
  destination: EVIL,
};

/** Every page, with the same hostile text wherever text from outside can stand. */
const pages: Record<string, string> = {
  'sign-in': renderSignIn({
    ...form,
    clientName: EVIL,
    why: 'needed',
    email: EVIL,
    registerPath: EVIL,
    cancelPath: EVIL,
    faults,
  }),
  registration: renderRegistration({
    ...form,
    clientName: EVIL,
    signInPath: EVIL,
    name: EVIL,
    email: EVIL,
    cancelPath: EVIL,
    faults,
  }),
  'new password': renderNewPassword({ ...form, email: EVIL, isTemporary: true, faults }),
  consent: renderConsent({
    allowPath: '/a',
    denyPath: '/d',
    token: EVIL,
    client,
    person: { name: EVIL, email: EVIL },
    asked: [{ title: EVIL, detail: EVIL }],
    requested: [],
    hasEarlier: false,
    switchPath: EVIL,
    isForDevice: false,
  }),
  'account choice': renderChooseAccount({
    ...form,
    clientName: EVIL,
    person: { name: EVIL, email: EVIL },
    otherPath: EVIL,
    cancelPath: EVIL,
  }),
  'device input': renderDeviceInput({ ...library, fault: EVIL }),
  'device confirmation': renderDeviceConfirm({ ...library, userCode: EVIL, clientName: EVIL }),
  'sign-out': renderSignOut({ ...library, clientName: EVIL }),
  notice: renderNotice({
    title: EVIL,
    text: EVIL,
    facts: [{ term: EVIL, value: EVIL }],
    link: { path: EVIL, label: EVIL },
  }),
  account: renderAccount({
    token: EVIL,
    account,
    sessions: [
      { uid: EVIL, browser: EVIL, address: EVIL, signedInAt: new Date(0), isThis: false },
      { uid: 'b', browser: undefined, address: undefined, signedInAt: new Date(0), isThis: true },
    ],
    applications: [
      { clientId: EVIL, name: EVIL, since: new Date(0), allowed: [{ title: EVIL, detail: EVIL }] },
    ],
    paths: accountPaths('/auth'),
    done: EVIL,
  }),
  profile: renderProfile({ ...form, entered: { name: EVIL }, backPath: EVIL, faults }),
  removal: renderRemoval({ ...form, email: EVIL, backPath: EVIL, faults }),
};

describe.each(Object.entries(pages))('the %s page', (_name, page) => {
  it('shows text from outside as text', () => {
    expect(page).toContain('&lt;img');
    expect(page).not.toContain('<img');
  });

  it('has no script, no handler, no inline style and loads nothing', () => {
    const tags = (page.match(/<[a-z][^>]*>/gi) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'));
    expect(
      tags.filter((tag) => /^<(script|iframe|object|img)|\s(on\w+|style|src)=/i.test(tag)),
    ).toEqual([]);
    expect(tags.filter((tag) => /^<link/i.test(tag))).toEqual(['<link rel="" href="">']);
  });

  it('has one form at most, one main heading, a title and a language', () => {
    expect(page.match(/<form\b/g)?.length ?? 0).toBeLessThanOrEqual(1);
    expect(page.match(/<h1\b/g)).toHaveLength(1);
    expect(page).toMatch(/<html lang="en"/);
    expect(page).toMatch(/<title>[^<]+ – Gatepost<\/title>/);
  });

  it('labels every field that is shown', () => {
    const ids = [...page.matchAll(/<input id="([^"]+)"/g)].map(([, id]) => id);
    for (const id of ids) expect(page).toContain(`<label for="${id}">`);
  });
});

describe('pages', () => {
  it('carry exactly the style that the policy allows', () => {
    const [, style] = /<style>([\s\S]*?)<\/style>/.exec(pages['sign-in'] as string) ?? [];
    expect(style).toBe(STYLE);
    const digest = createHash('sha256')
      .update(style as string)
      .digest('base64');
    expect(STYLE_HASH).toBe(`'sha256-${digest}'`);
  });

  it('never show a password again', () => {
    for (const page of Object.values(pages))
      for (const [field] of page.matchAll(/<input[^>]*type="password"[^>]*>/g))
        expect(field).not.toMatch(/value=/);
  });

  it('offer deny as large as allow, and tell them apart by where they lead', () => {
    expect(pages['consent']).toMatch(
      /<div class="buttons pair equal">\s*<button>Allow<\/button>\s*<button formaction="\/d">Deny<\/button>/,
    );
  });

  it('begin with the faults, which lead to their fields', () => {
    expect(pages['registration']).toMatch(/role="alert" tabindex="-1" autofocus/);
    expect(pages['registration']).toContain('<a href="#email">');
    expect(pages['registration']).toContain('aria-describedby="email-fault" aria-invalid="true"');
    expect(pages['registration']?.match(/autofocus/g)).toHaveLength(1);
    expect(pages['registration']).toContain('<title>Error: ');
  });

  it('tell a browser what it may fill in', () => {
    expect(pages['sign-in']).toMatch(
      /autocomplete="username"[\s\S]*autocomplete="current-password"/,
    );
    expect(pages['registration']).toMatch(/autocomplete="name"[\s\S]*autocomplete="new-password"/);
    expect(pages['new password']).toMatch(
      /autocomplete="username"[\s\S]*autocomplete="current-password"[\s\S]*autocomplete="new-password"/,
    );
    expect(pages['device input']).toContain('autocomplete="one-time-code"');
  });
});

describe('the consent page', () => {
  const view = {
    allowPath: '/a',
    denyPath: '/d',
    token: 't',
    client: { ...client, name: 'Shop', destination: 'shop.example' },
    person: { name: 'Demo User', email: 'demo@example.com' },
    asked: [{ title: 'See your links' }],
    requested: [{ title: 'Recognise you' }],
    hasEarlier: false,
    switchPath: '/s',
    isForDevice: false,
  };

  it('names the application and where the browser goes on to', () => {
    const page = renderConsent(view);
    expect(page).toContain('<h1>Allow Shop?</h1>');
    expect(page).toContain('you go on to shop.example');
    expect(page).toContain('See your links');
    expect(page).not.toContain('Recognise you');
  });

  it('says what is new when something was allowed before', () => {
    expect(renderConsent({ ...view, hasEarlier: true })).toContain('more than before');
  });

  it('lists all that is wanted when nothing of it is new', () => {
    const page = renderConsent({ ...view, asked: [], hasEarlier: true });
    expect(page).toContain('<h1>Continue to Shop?</h1>');
    expect(page).toContain('Recognise you');
  });

  it('says that a device gets the access', () => {
    const page = renderConsent({ ...view, isForDevice: true });
    expect(page).toContain('on your device');
    expect(page).not.toContain('you go on to');
  });
});
