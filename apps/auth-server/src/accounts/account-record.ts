import type { Account, PostalAddress } from './account.ts';

/** An account as one JSON value of the database: the driver spends more on a column than on the bytes in it. */
export interface AccountJson {
  readonly id: string;
  readonly email: string;
  readonly email_verified: boolean;
  readonly name: string | null;
  readonly profile: Record<string, unknown>;
  readonly address: PostalAddress | null;
  readonly phone_number: string | null;
  readonly phone_number_verified: boolean;
  readonly disabled: boolean;
  readonly password_is_temporary: boolean;
  readonly password_changed_at: string;
  readonly created_at: string;
  readonly updated_at: string;
}

/** SQL that makes an AccountJson of the row `alias` of accounts; `more` are further columns. */
export function accountJson(alias: string, more: readonly string[] = []): string {
  const columns = [
    ...['id', 'email', 'email_verified', 'name', 'profile', 'address', 'phone_number'],
    ...['phone_number_verified', 'password_is_temporary'],
    ...['password_changed_at', 'created_at', 'updated_at', ...more],
  ].map((column) => `${alias}.${column}`);
  return `(SELECT row_to_json(one) FROM (SELECT ${columns.join(', ')}, ${alias}.disabled_at IS NOT NULL AS disabled) one)`;
}

export function toAccount(json: AccountJson): Account {
  return {
    id: json.id,
    email: json.email,
    emailVerified: json.email_verified,
    name: json.name ?? undefined,
    profile: json.profile,
    address: json.address ?? undefined,
    phoneNumber: json.phone_number ?? undefined,
    phoneNumberVerified: json.phone_number_verified,
    disabled: json.disabled,
    passwordIsTemporary: json.password_is_temporary,
    passwordChangedAt: new Date(json.password_changed_at),
    createdAt: new Date(json.created_at),
    updatedAt: new Date(json.updated_at),
  };
}
