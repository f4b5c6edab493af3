import { type FormFaults, renderFaults, renderField, renderForm } from './form.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

export interface RemovalView {
  readonly action: string;
  readonly token: string;
  readonly email: string;
  readonly backPath: string;
  readonly faults?: FormFaults | undefined;
}

export function renderRemoval(view: RemovalView): string {
  const { faults } = view;
  const content = html`<section class="sheet">
<h1>Delete your account?</h1>
<p>Your profile is deleted at once, every session ends, and every application loses its access. Short links that you
created go on redirecting, but nobody can change them any more. This cannot be undone.</p>
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
      isReadOnly: true,
    },
    faults,
  )}
${renderField(
  {
    name: 'password',
    label: 'Your password, to be sure that it is you',
    type: 'password',
    autocomplete: 'current-password',
    isFirst: true,
  },
  faults,
)}
<div class="buttons pair">
<a class="button plain" href="${view.backPath}">Keep it</a>
<button class="grave">Delete it</button>
</div>`,
})}
</section>`;
  return renderPage({ title: 'Delete your account?', content, isFaulty: faults !== undefined });
}
