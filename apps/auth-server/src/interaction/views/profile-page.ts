import { type FormFaults, renderFaults, renderField, renderForm } from './form.ts';
import { html } from './html.ts';
import { renderPage } from './page.ts';

export interface ProfileView {
  readonly action: string;
  readonly token: string;
  readonly entered: EnteredProfile;
  readonly backPath: string;
  readonly faults?: FormFaults | undefined;
}

/** By the names of the form's fields. */
export type EnteredProfile = Readonly<
  Partial<Record<'name' | 'phone_number' | (typeof ADDRESS_FIELDS)[number][0], string>>
>;

/** Lines of an address in the order of an envelope, with what a browser may fill in. */
export const ADDRESS_FIELDS = [
  ['street_address', 'Street and number', 'street-address'],
  ['postal_code', 'Postal code', 'postal-code'],
  ['locality', 'Town', 'address-level2'],
  ['region', 'Region or state', 'address-level1'],
  ['country', 'Country', 'country-name'],
] as const;

export function renderProfile(view: ProfileView): string {
  const { faults } = view;
  const content = html`<section class="sheet">
<h1>Your profile</h1>
<p class="lead">Applications see of it what you allow them, nothing else.</p>
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
      value: view.entered.name,
      isFirst: true,
      maxLength: 100,
    },
    faults,
  )}
${renderField(
  {
    name: 'phone_number',
    label: 'Phone number',
    type: 'tel',
    autocomplete: 'tel',
    hint: 'With the country code, like +49 30 123456',
    value: view.entered.phone_number,
    isOptional: true,
    maxLength: 40,
  },
  faults,
)}
${ADDRESS_FIELDS.map(([name, label, autocomplete]) =>
  renderField(
    {
      name,
      label,
      type: 'text',
      autocomplete,
      value: view.entered[name],
      isOptional: true,
      maxLength: 200,
    },
    faults,
  ),
)}
<div class="buttons"><button>Save</button></div>`,
})}
</section>
<p class="below"><a href="${view.backPath}">Back to your account</a></p>`;
  return renderPage({ title: 'Your profile', content, isFaulty: faults !== undefined });
}
