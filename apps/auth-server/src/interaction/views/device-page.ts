import { type FormFaults, renderFaults } from './form.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

/** Forms of the protocol library's endpoints: it names their fields and checks its own anti-forgery value. */
export interface LibraryForm {
  readonly action: string;
  readonly xsrf: string;
}

/** `userCode` is the one that came with a link. */
export function renderDeviceInput(
  view: LibraryForm & { fault: string | undefined; userCode?: string },
): string {
  const faults: FormFaults | undefined = view.fault
    ? { form: 'This did not work', fields: { user_code: view.fault } }
    : undefined;
  const content = html`<section class="sheet">
<h1>Connect a device</h1>
<p class="lead">${view.userCode ? 'Go on if your device shows exactly this code.' : 'Enter the code that your device shows.'}</p>
${renderFaults(faults)}
<form method="post" action="${view.action}" novalidate>
<input type="hidden" name="xsrf" value="${view.xsrf}">
<div class="field">
<label for="user_code">Code</label>
<p class="hint" id="user_code-hint">Eight letters, such as BCDF-GHJK. Capitals and the dash do not matter.</p>
${view.fault && html`<p class="fault" id="user_code-fault"><span class="unseen">Error: </span>${view.fault}</p>`}
<input class="code" id="user_code" name="user_code" type="text" autocomplete="one-time-code" autocapitalize="characters" spellcheck="false" maxlength="20" required aria-describedby="user_code-hint${view.fault && ' user_code-fault'}"${view.fault && html` aria-invalid="true"`}${view.userCode && html` value="${view.userCode}"`}${!view.fault && !view.userCode && html` autofocus`}>
</div>
<div class="buttons"><button${view.userCode && html` autofocus`}>Continue</button></div>
</form>
</section>`;
  return renderPage({ title: 'Connect a device', content, isFaulty: faults !== undefined });
}

export function renderDeviceConfirm(
  view: LibraryForm & { userCode: string; clientName: string },
): string {
  const content = html`<section class="sheet">
<h1>Is this your device?</h1>
<p class="lead"><strong>${view.clientName}</strong> wants to be connected to your account. Go on only if your device shows exactly this code:</p>
<p class="code">${view.userCode}</p>
<p>If somebody sent you the code or read it out to you, cancel. It would let them into your account.</p>
<form method="post" action="${view.action}">
<input type="hidden" name="xsrf" value="${view.xsrf}">
<input type="hidden" name="user_code" value="${view.userCode}">
<input type="hidden" name="confirm" value="yes">
<div class="buttons pair equal">
<button>The code matches</button>
<button name="abort" value="yes">Cancel</button>
</div>
</form>
</section>`;
  return renderPage({ title: 'Is this your device?', content });
}
