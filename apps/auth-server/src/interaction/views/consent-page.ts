import type { ScopeWords } from '../scope-words.ts';
import { renderForm } from './form.ts';
import { type Fragment, html } from './html.ts';
import { renderPage } from './page.ts';

export interface ConsentView {
  readonly allowPath: string;
  readonly denyPath: string;
  readonly token: string;
  readonly client: ClientFace;
  readonly person: { readonly name: string | undefined; readonly email: string };
  /** What is asked for now; empty when everything was allowed before. */
  readonly asked: readonly ScopeWords[];
  /** All that the application wants, for when nothing of it is new. */
  readonly requested: readonly ScopeWords[];
  /** Something was allowed before, and stays. */
  readonly hasEarlier: boolean;
  readonly switchPath: string;
  /** A device somewhere else gets the access, not this browser. */
  readonly isForDevice: boolean;
}

/** What a person may want to know of an application. Addresses are http or https. */
export interface ClientFace {
  readonly name: string;
  readonly homepage: string | undefined;
  readonly policy: string | undefined;
  readonly terms: string | undefined;
  /** Where the browser is sent next, as a person reads it: a host, or what starts on this device. */
  readonly destination: string | undefined;
}

export function renderConsent(view: ConsentView): string {
  const { client, person, asked } = view;
  const listed = asked.length > 0 ? asked : view.requested;
  const content = html`<section class="sheet">
<h1>${asked.length > 0 ? html`Allow ${client.name}?` : html`Continue to ${client.name}?`}</h1>
${renderQuestion(view)}
<ul class="scopes">${listed.map(
    ({ title, detail }) =>
      html`<li><strong>${title}</strong>${detail && html`<span>${detail}</span>`}</li>`,
  )}</ul>
<div class="person"><span class="initial" aria-hidden="true">${initialOf(person.name ?? person.email)}</span>
<div><strong>${person.name ?? person.email}</strong>${person.name && html`<span class="quiet">${person.email}</span><br>`}<a class="quiet" href="${view.switchPath}">Use another account</a></div></div>
${renderForm({
  action: view.allowPath,
  token: view.token,
  content: html`<div class="buttons pair equal">
<button>Allow</button>
<button formaction="${view.denyPath}">Deny</button>
</div>`,
})}
</section>
${renderWhereabouts(view)}`;
  return renderPage({ title: `Allow ${client.name}?`, content });
}

function renderQuestion({ client, asked, hasEarlier, isForDevice }: ConsentView): Fragment {
  const name = html`<strong>${client.name}</strong>`;
  const where = isForDevice ? ' on your device' : '';
  if (asked.length === 0)
    return html`<p class="lead">You allowed ${name}${where} this before. Go on if it was you who started it just now. It can:</p>`;
  return hasEarlier
    ? html`<p class="lead">${name}${where} asks for more than before. What you allowed earlier stays as it is. New is that it could:</p>`
    : html`<p class="lead">${name}${where} asks for access to your account. It could:</p>`;
}

function renderWhereabouts({ client, isForDevice }: ConsentView): Fragment {
  const links = [
    client.homepage && html`<a href="${client.homepage}" rel="noopener noreferrer">About it</a>`,
    client.policy && html`<a href="${client.policy}" rel="noopener noreferrer">Privacy</a>`,
    client.terms && html`<a href="${client.terms}" rel="noopener noreferrer">Terms</a>`,
  ].filter(Boolean);
  return html`<p class="below quiet">${
    isForDevice
      ? 'You can end this at any time on your account page.'
      : html`${client.destination && html`Either way you go on to ${client.destination}. `}You can end the access at any time on your account page.`
  }${links.length > 0 && html`<br>${links.map((link, index) => html`${index > 0 && ' · '}${link}`)}`}</p>`;
}

export function initialOf(text: string): string {
  return ([...text.trim()][0] ?? '?').toUpperCase();
}
