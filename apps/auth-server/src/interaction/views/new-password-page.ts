import { PASSWORD_MIN } from '../../accounts/new-password.ts';
import { type FormFaults, renderFaults, renderField, renderForm } from './form.ts';
import { type Fragment, html } from './html.ts';
import { renderPage } from './page.ts';

export interface NewPasswordView {
  readonly action: string;
  readonly token: string;
  readonly email: string;
  /** The old password was given out by an operator. */
  readonly isTemporary: boolean;
  /** Carried along from the sign-in that led here. */
  readonly staysSignedIn?: boolean;
  readonly backPath?: string | undefined;
  readonly faults?: FormFaults | undefined;
}

export function renderNewPassword(view: NewPasswordView): string {
  const { faults, isTemporary } = view;
  const title = isTemporary ? 'Choose a new password' : 'Change your password';
  const content = html`<section class="sheet">
<h1>${title}</h1>
<p class="lead">${
    isTemporary
      ? 'The password you signed in with was given to you for once. Choose one that only you know.'
      : 'Your other sessions end. This one goes on.'
  }</p>
${renderFaults(faults)}
${renderForm({
  action: view.action,
  token: view.token,
  content: html`${view.staysSignedIn && html`<input type="hidden" name="remember" value="yes">`}${renderField(
    {
      name: 'email',
      label: 'Email address',
      type: 'email',
      autocomplete: 'username',
      value: view.email,
      isReadOnly: true,
    },
    faults,
  )}
${renderField(
  {
    name: 'password',
    label: isTemporary ? 'Password you were given' : 'Current password',
    type: 'password',
    autocomplete: 'current-password',
    isFirst: true,
  },
  faults,
)}
${renderField(
  {
    name: 'new_password',
    label: 'New password',
    type: 'password',
    autocomplete: 'new-password',
    hint: `At least ${PASSWORD_MIN} characters. A few words in a row are easy to remember and hard to guess.`,
  },
  faults,
)}
${!isTemporary && DISCONNECT}
<div class="buttons">
<button>${isTemporary ? 'Save and continue' : 'Change password'}</button>
</div>`,
})}
</section>
${view.backPath && html`<p class="below"><a href="${view.backPath}">Back to your account</a></p>`}`;
  return renderPage({ title, content, isFaulty: faults !== undefined });
}

const DISCONNECT: Fragment = html`<label class="choice"><input type="checkbox" name="disconnect" value="yes"> <span>Also disconnect all applications. Choose this if somebody else may have known the password.</span></label>`;
