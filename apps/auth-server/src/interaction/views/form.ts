import { type Fragment, Html, html } from './html.ts';

/** Faults by field name, and what is wrong with the form as a whole. */
export interface FormFaults {
  readonly form?: string;
  readonly fields?: Readonly<Record<string, string | undefined>>;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password' | 'tel';
  /** What a browser or a password manager may fill in (WCAG 1.3.5). */
  readonly autocomplete: string;
  readonly value?: string | undefined;
  readonly hint?: string;
  readonly isOptional?: boolean;
  readonly isReadOnly?: boolean;
  /** Where the page begins; a summary of faults goes before it. */
  readonly isFirst?: boolean;
  readonly maxLength?: number;
  readonly className?: string;
}

/** A labelled field with its hint and its fault, both read out with it. */
export function renderField(field: Field, faults: FormFaults | undefined): Html {
  const fault = faults?.fields?.[field.name];
  const id = field.name;
  const described = [field.hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ');
  return html`<div class="field">
<label for="${id}">${field.label}${field.isOptional && html` <span class="quiet">(optional)</span>`}</label>
${field.hint && html`<p class="hint" id="${id}-hint">${field.hint}</p>`}
${fault && html`<p class="fault" id="${id}-fault"><span class="unseen">Error: </span>${fault}</p>`}
<input id="${id}" name="${id}" type="${field.type}" autocomplete="${field.autocomplete}"${attributes(
    {
      value: field.value,
      maxlength: field.maxLength,
      class: field.className,
      'aria-describedby': described || undefined,
      'aria-invalid': fault ? 'true' : undefined,
      required: !field.isOptional,
      readonly: field.isReadOnly,
      autofocus: field.isFirst && !faults,
      autocapitalize: field.type === 'text' && field.autocomplete === 'name' ? undefined : 'none',
      spellcheck: 'false',
    },
  )}>
</div>`;
}

/** What went wrong, before the form, with the focus on it: the first thing that is read out. Links lead to the fields. */
export function renderFaults(faults: FormFaults | undefined): Html | undefined {
  if (!faults) return undefined;
  const fields = Object.entries(faults.fields ?? {}).filter(([, fault]) => fault !== undefined);
  return html`<div class="summary" role="alert" tabindex="-1" autofocus>
<h2>${faults.form ?? 'Please look at this again'}</h2>
${
  fields.length > 0 &&
  html`<ul>${fields.map(([name, fault]) => html`<li><a href="#${name}">${fault}</a></li>`)}</ul>`
}
</div>`;
}

/** A form that posts to one of our own paths, with the token that binds it to the visitor. */
export function renderForm(form: {
  readonly action: string;
  readonly token: string;
  readonly content: Fragment;
}): Html {
  // `novalidate`: the browser's own bubbles vanish, cannot be zoomed or styled, and speak another language than the page.
  return html`<form method="post" action="${form.action}" novalidate>
<input type="hidden" name="form_token" value="${form.token}">
${form.content}
</form>`;
}

/** Attributes whose value is present; `true` stands for the bare name. Names are ours, values are escaped. */
function attributes(
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): Fragment {
  return Object.entries(values).map(([name, value]) => {
    if (value === undefined || value === false) return undefined;
    return value === true ? new Html(` ${name}`) : html` ${new Html(name)}="${value}"`;
  });
}
