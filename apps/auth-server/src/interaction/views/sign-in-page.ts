import type { SignInReason } from '../next-step.ts';
import { type FormFaults, renderFaults, renderField, renderForm } from './form.ts';
import { type Fragment, html } from './html.ts';
import { renderPage } from './page.ts';

export interface SignInView {
  readonly action: string;
  readonly token: string;
  /** The application that asked; absent on the way to one's own account page. */
  readonly clientName?: string | undefined;
  readonly why: SignInReason;
  readonly email?: string | undefined;
  readonly staysSignedIn?: boolean;
  readonly registerPath?: string | undefined;
  /** Where a person turns back to the application. */
  readonly cancelPath?: string | undefined;
  readonly faults?: FormFaults | undefined;
}

export function renderSignIn(view: SignInView): string {
  const { faults, why } = view;
  const content = html`<section class="sheet">
<h1>${why === 'again' ? 'Confirm it is you' : 'Sign in'}</h1>
${renderLead(view)}
${renderFaults(faults)}
${renderForm({
  action: view.action,
  token: view.token,
  content: html`${renderField(
    {
      name: 'email',
      label: 'Email address',
      type: 'email',
      autocomplete: 'username',
      value: view.email,
      isFirst: !view.email,
    },
    faults,
  )}
${renderField(
  {
    name: 'password',
    label: 'Password',
    type: 'password',
    autocomplete: 'current-password',
    isFirst: Boolean(view.email),
  },
  faults,
)}
<label class="choice"><input type="checkbox" name="remember" value="yes"${view.staysSignedIn !== false && html` checked`}> <span>Stay signed in on this device</span></label>
<div class="buttons">
<button>Sign in</button>
${view.cancelPath && html`<button class="plain" formaction="${view.cancelPath}">Cancel</button>`}
</div>`,
})}
</section>
${view.registerPath && html`<p class="below">New here? <a href="${view.registerPath}">Create an account</a></p>`}`;
  return renderPage({ title: 'Sign in', content, isFaulty: faults !== undefined });
}

function renderLead({ clientName, why }: SignInView): Fragment {
  const client = clientName && html`<strong>${clientName}</strong>`;
  if (why === 'other-person')
    return html`<p class="lead">${client ?? 'The application'} expects another account than the one you used. Sign in with that one to continue.</p>`;
  if (why === 'again')
    return html`<p class="lead">${client ?? 'The application'} asks you to enter your password again.</p>`;
  return client
    ? html`<p class="lead">to continue to ${client}</p>`
    : html`<p class="lead">to see and change your account</p>`;
}
