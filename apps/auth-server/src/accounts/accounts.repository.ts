import type { Pool } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { POOL } from '../app.tokens.ts';
import { BatchLoader } from '../store/batch-loader.ts';
import type { Account, PostalAddress } from './account.ts';
import { type AccountJson, accountJson, toAccount } from './account-record.ts';

/** An account with what its password is compared with; stays inside this room. */
export interface Credential {
  readonly account: Account;
  readonly passwordHash: string;
}

export interface NewAccount {
  readonly email: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly passwordIsTemporary: boolean;
}

/** What the owner may change without a password. */
export interface ProfileChange {
  readonly name: string;
  readonly phoneNumber: string | undefined;
  readonly address: PostalAddress | undefined;
}

type CredentialJson = AccountJson & { readonly password_hash: string };

const CREDENTIAL = `${accountJson('accounts', ['password_hash'])} AS row`;

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** The accounts. Every token and sign-in reads one, so the statements are prepared and take one round trip each. */
@Injectable()
export class AccountsRepository {
  /** Every use of a token asks for its account: those of one moment are read together, each as one JSON value. */
  private readonly byId: BatchLoader<Credential>;

  constructor(@Inject(POOL) private readonly pool: Pool) {
    this.byId = new BatchLoader((ids) => this.readByIds(ids));
  }

  async findById(id: string): Promise<Credential | undefined> {
    // A subject that is no UUID (a client's, a forged one) is nobody, not a type error of the database.
    if (!UUID.test(id)) return undefined;
    return this.byId.load(id.toLowerCase());
  }

  async findByEmail(email: string): Promise<Credential | undefined> {
    return this.one(
      'account-by-email',
      `SELECT ${CREDENTIAL} FROM accounts WHERE lower(email) = lower($1)`,
      [toStored(email)],
    );
  }

  /** Creates, or returns undefined when the address has an account already; of two at once, one gets it. */
  async create(account: NewAccount): Promise<Account | undefined> {
    const created = await this.one(
      'account-create',
      `INSERT INTO accounts (email, name, password_hash, password_is_temporary) VALUES ($1, $2, $3, $4)
        ON CONFLICT (lower(email)) DO NOTHING RETURNING ${CREDENTIAL}`,
      [toStored(account.email), account.name, account.passwordHash, account.passwordIsTemporary],
    );
    return created?.account;
  }

  /** Replaces the hash if it still is the one that was compared with: of two changes at once, one wins. */
  async replacePassword(
    id: string,
    hashes: { before: string | undefined; after: string },
    kind: 'chosen' | 'temporary' | 'rehashed',
  ): Promise<Account | undefined> {
    const replaced = await this.one(
      'account-replace-password',
      `UPDATE accounts SET password_hash = $3,
          password_is_temporary = CASE $4 WHEN 'rehashed' THEN password_is_temporary ELSE $4 = 'temporary' END,
          password_changed_at = CASE $4 WHEN 'rehashed' THEN password_changed_at ELSE now() END
        WHERE id = $1 AND password_hash = COALESCE($2, password_hash) RETURNING ${CREDENTIAL}`,
      [id, hashes.before ?? null, hashes.after, kind],
    );
    return replaced?.account;
  }

  async changeProfile(id: string, change: ProfileChange): Promise<void> {
    await this.pool.query({
      name: 'account-change-profile',
      // A number or address that changed is not the one that somebody verified.
      text: `UPDATE accounts SET name = $2, address = $4, updated_at = now(),
          phone_number_verified = phone_number_verified AND phone_number IS NOT DISTINCT FROM $3,
          phone_number = $3
        WHERE id = $1`,
      values: [
        id,
        change.name,
        change.phoneNumber ?? null,
        change.address ? JSON.stringify(change.address) : null,
      ],
    });
  }

  /** False when there is no such account. */
  async setDisabled(id: string, disabled: boolean): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE accounts SET disabled_at = CASE WHEN $2 THEN COALESCE(disabled_at, now()) END, updated_at = now() WHERE id = $1`,
      [id, disabled],
    );
    return rowCount === 1;
  }

  /** Deletes the account and, by reference, what it allowed and where it signed in. */
  async remove(id: string): Promise<boolean> {
    const { rowCount } = await this.pool.query('DELETE FROM accounts WHERE id = $1', [id]);
    return rowCount === 1;
  }

  /** Accounts in the order of their registration, after `afterId` where given. */
  async list(page: {
    afterId: string | undefined;
    limit: number;
    search: string | undefined;
  }): Promise<Account[]> {
    const { rows } = await this.pool.query<{ row: AccountJson }>(
      `SELECT ${accountJson('accounts')} AS row FROM accounts
        WHERE ($1::uuid IS NULL OR (created_at, id) > (SELECT created_at, id FROM accounts WHERE id = $1))
          AND ($2::text IS NULL OR strpos(lower(email), lower($2)) > 0 OR strpos(lower(name), lower($2)) > 0)
        ORDER BY created_at, id LIMIT $3`,
      [page.afterId ?? null, page.search ?? null, page.limit],
    );
    return rows.map(({ row }) => toAccount(row));
  }

  private async readByIds(ids: readonly string[]): Promise<Map<string, Credential>> {
    const { rows } = await this.pool.query<{ row: CredentialJson }>({
      name: 'account-by-id',
      text: `SELECT ${CREDENTIAL} FROM accounts WHERE id = ANY($1::uuid[])`,
      values: [ids],
    });
    return new Map(rows.map(({ row }) => [row.id, toCredential(row)]));
  }

  private async one(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<Credential | undefined> {
    const { rows } = await this.pool.query<{ row: CredentialJson }>({ name, text, values });
    return rows[0] && toCredential(rows[0].row);
  }
}

/** As it is stored and searched: one composition of accents, no spaces around. Case is kept and compared without. */
function toStored(email: string): string {
  return email.trim().normalize('NFC');
}

function toCredential(row: CredentialJson): Credential {
  return { account: toAccount(row), passwordHash: row.password_hash };
}
