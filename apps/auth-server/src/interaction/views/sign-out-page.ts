import type { LibraryForm } from './device-page.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

export function renderSignOut(view: LibraryForm & { clientName: string | undefined }): string {
  const { clientName } = view;
  const content = html`<section class="sheet">
<h1>Sign out?</h1>
<p class="lead">${
    clientName
      ? html`You are leaving <strong>${clientName}</strong>. Do you want to end your session here as well, and what else you opened with it?`
      : 'This ends your session in this browser, and what you opened with it.'
  }</p>
<form method="post" action="${view.action}">
<input type="hidden" name="xsrf" value="${view.xsrf}">
<div class="buttons pair">
<button name="logout" value="yes">Sign out</button>
<button class="plain">Stay signed in</button>
</div>
</form>
</section>`;
  return renderPage({ title: 'Sign out?', content });
}
