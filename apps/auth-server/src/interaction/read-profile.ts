import { judgeAddressLine, judgeName, judgePhoneNumber } from '../accounts/account.ts';
import type { ProfileChange } from '../accounts/accounts.repository.ts';
import { readForm } from './read-form.ts';
import { ADDRESS_FIELDS, type EnteredProfile } from './views/profile-page.ts';

export type ReadProfile = {
  readonly entered: EnteredProfile;
} & (
  | { readonly change: ProfileChange }
  | { readonly faults: Readonly<Record<string, string | undefined>> }
);

const ADDRESS_NAMES = ADDRESS_FIELDS.map(([name]) => name);

/** The profile form: what was entered, and either the change that it asks for or what is wrong with it. */
export function readProfile(body: unknown): ReadProfile {
  const form = readForm(body, ['name', 'phone_number', ...ADDRESS_NAMES]);
  const entered = Object.fromEntries(
    Object.entries(form).map(([name, text]) => [name, text.trim()]),
  ) as typeof form;
  const lines = ADDRESS_NAMES.map((name) => [name, entered[name]] as const).filter(
    ([, line]) => line !== '',
  );
  const faults = {
    name: judgeName(entered.name),
    phone_number: entered.phone_number === '' ? undefined : judgePhoneNumber(entered.phone_number),
    ...Object.fromEntries(lines.map(([name, line]) => [name, judgeAddressLine(line)])),
  };
  if (Object.values(faults).some((fault) => fault !== undefined)) return { entered, faults };
  return {
    entered,
    change: {
      name: entered.name,
      phoneNumber: entered.phone_number === '' ? undefined : entered.phone_number,
      address: lines.length === 0 ? undefined : Object.fromEntries(lines),
    },
  };
}
