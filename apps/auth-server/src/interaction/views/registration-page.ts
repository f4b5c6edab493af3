import { PASSWORD_MIN } from '../../accounts/new-password.ts';
import { type FormFaults, renderFaults, renderField, renderForm } from './form.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

export interface RegistrationView {
  readonly action: string;
  readonly token: string;
  readonly clientName?: string | undefined;
  readonly signInPath: string;
  readonly name?: string | undefined;
  readonly email?: string | undefined;
  /** Where a person turns back to the application. */
  readonly cancelPath?: string | undefined;
  readonly faults?: FormFaults | undefined;
}

export function renderRegistration(view: RegistrationView): string {
  const { faults } = view;
  const content = html`<section class="sheet">
<h1>Create your account</h1>
${
  view.clientName
    ? html`<p class="lead">One account for everything here, and for <strong>${view.clientName}</strong></p>`
    : html`<p class="lead">One account for everything here</p>`
}
${renderFaults(faults)}
${renderForm({
  action: view.action,
  token: view.token,
  content: html`${renderField(
    {
      name: 'name',
      label: 'Name',
      type: 'text',
      autocomplete: 'name',
      hint: 'As you want to be called',
      value: view.name,
      isFirst: true,
      maxLength: 100,
    },
    faults,
  )}
${renderField(
  {
    name: 'email',
    label: 'Email address',
    type: 'email',
    autocomplete: 'username',
    value: view.email,
    maxLength: 254,
  },
  faults,
)}
${renderField(
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `At least ${PASSWORD_MIN} characters. A few words in a row are easy to remember and hard to guess.`,
  },
  faults,
)}
<div class="buttons">
<button>Create account</button>
${view.cancelPath && html`<button class="plain" formaction="${view.cancelPath}">Cancel</button>`}
</div>`,
})}
</section>
<p class="below">Have an account? <a href="${view.signInPath}">Sign in</a></p>`;
  return renderPage({ title: 'Create your account', content, isFaulty: faults !== undefined });
}
