import { initialOf } from './consent-page.ts';
import { renderForm } from './form.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

export interface ChooseAccountView {
  readonly action: string;
  readonly token: string;
  readonly clientName: string;
  readonly person: { readonly name: string | undefined; readonly email: string };
  readonly otherPath: string;
  readonly cancelPath: string;
}

export function renderChooseAccount(view: ChooseAccountView): string {
  const { person } = view;
  const content = html`<section class="sheet">
<h1>Choose an account</h1>
<p class="lead">to continue to <strong>${view.clientName}</strong></p>
<div class="person"><span class="initial" aria-hidden="true">${initialOf(person.name ?? person.email)}</span>
<div><strong>${person.name ?? person.email}</strong>${person.name && html`<span class="quiet">${person.email}</span>`}</div></div>
${renderForm({
  action: view.action,
  token: view.token,
  content: html`<div class="buttons">
<button>Continue as ${person.name ?? person.email}</button>
<a class="button plain" href="${view.otherPath}">Use another account</a>
<button class="plain" formaction="${view.cancelPath}">Cancel</button>
</div>`,
})}
</section>`;
  return renderPage({ title: 'Choose an account', content });
}
