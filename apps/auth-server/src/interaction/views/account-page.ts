import type { Account } from '../../accounts/account.ts';
import type { ScopeWords } from '../scope-words.ts';
import { initialOf } from './consent-page.ts';
import { renderForm } from './form.ts';
import { type Fragment, html } from './html.ts';
import { renderPage } from './page.ts';

export interface AccountView {
  readonly token: string;
  readonly account: Account;
  readonly sessions: readonly SessionLine[];
  readonly applications: readonly ApplicationLine[];
  readonly paths: AccountPaths;
  /** What has just been done. */
  readonly done: string | undefined;
}

export interface AccountPaths {
  readonly home: string;
  readonly profile: string;
  readonly password: string;
  readonly remove: string;
  readonly signOut: string;
}

export interface SessionLine {
  readonly uid: string;
  readonly browser: string | undefined;
  readonly address: string | undefined;
  readonly signedInAt: Date;
  readonly isThis: boolean;
}

export interface ApplicationLine {
  readonly clientId: string;
  readonly name: string;
  readonly since: Date;
  readonly allowed: readonly ScopeWords[];
}

export function renderAccount(view: AccountView): string {
  const { account, done } = view;
  const content = html`<h1>Your account</h1>
<p class="lead">What we know of you, where you are signed in, and what you have allowed.</p>
${done && html`<div class="notice" role="status" tabindex="-1" autofocus><p>${done}</p></div>`}
${renderForm({
  action: view.paths.home,
  token: view.token,
  content: html`${renderPerson(view)}
<section class="sheet" aria-labelledby="sessions">
<h2 id="sessions">Where you are signed in</h2>
<ul class="rows">${view.sessions.map((session) => renderSession(session, view.paths))}</ul>
${view.sessions.length > 2 && html`<div class="actions"><button class="plain" name="end_session" value="others">End all other sessions</button></div>`}
</section>
<section class="sheet" aria-labelledby="applications">
<h2 id="applications">Applications with access</h2>
${
  view.applications.length === 0
    ? html`<p class="quiet">None. An application shows up here once you have allowed it something.</p>`
    : html`<ul class="rows">${view.applications.map((application) => renderApplication(application))}</ul>`
}
</section>`,
})}
<section class="sheet" aria-labelledby="remove">
<h2 id="remove">Leaving</h2>
<p>Deleting your account ends every session and every access at once. It cannot be undone.</p>
<div class="actions"><a class="button plain" href="${view.paths.remove}">Delete your account…</a></div>
</section>`;
  return renderPage({
    title: `Your account, ${account.name ?? account.email}`,
    content,
    isWide: true,
  });
}

function renderPerson({ account, paths }: AccountView): Fragment {
  return html`<section class="sheet" aria-labelledby="person">
<h2 id="person" class="unseen">You</h2>
<div class="person"><span class="initial" aria-hidden="true">${initialOf(account.name ?? account.email)}</span>
<div><strong>${account.name ?? account.email}</strong><span class="quiet">${account.email}</span>${!account.emailVerified && html` <span class="tag">not verified</span>`}</div></div>
<dl>
<dt>Phone number</dt><dd>${account.phoneNumber ?? 'none'}</dd>
<dt>Postal address</dt><dd>${account.address ? Object.values(account.address).join('\n') : 'none'}</dd>
<dt>Password</dt><dd>last changed ${renderTime(account.passwordChangedAt)}</dd>
</dl>
<div class="actions"><a class="button plain" href="${paths.profile}">Edit profile</a><a class="button plain" href="${paths.password}">Change password</a><a class="button plain" href="${paths.signOut}">Sign out</a></div>
</section>`;
}

function renderSession(session: SessionLine, paths: AccountPaths): Fragment {
  const browser = session.browser ?? 'Unknown browser';
  const name = session.address ? `${browser}, ${session.address}` : browser;
  return html`<li><div><strong>${browser}</strong>${session.isThis && html`<span class="tag">this browser</span>`}<br>
<span class="quiet">${session.address && html`${session.address} · `}since ${renderTime(session.signedInAt)}</span></div>
${
  session.isThis
    ? html`<a class="button plain small" href="${paths.signOut}">Sign out<span class="unseen"> of this browser</span></a>`
    : html`<button class="plain small" name="end_session" value="${session.uid}">End<span class="unseen"> the session ${name}</span></button>`
}</li>`;
}

function renderApplication(application: ApplicationLine): Fragment {
  return html`<li><div><strong>${application.name}</strong><br>
<span class="quiet">${application.allowed.map(({ title }) => title).join(' · ')}<br>since ${renderTime(application.since)}</span></div>
<button class="plain small" name="revoke_application" value="${application.clientId}">Remove<span class="unseen"> the access of ${application.name}</span></button></li>`;
}

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** A moment in words. Whose clock it is has to be said: the server does not know the person's. */
export function renderTime(moment: Date): Fragment {
  return html`<time datetime="${moment.toISOString()}">${DATE.format(moment)}, ${TIME.format(moment)} UTC</time>`;
}
