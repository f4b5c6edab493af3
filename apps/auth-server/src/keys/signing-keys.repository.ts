import { randomBytes } from 'node:crypto';
import { inTransaction, type Pool, type PoolClient } from '@gatepost/postgres';
import { Inject, Injectable } from '@nestjs/common';
import { ENV, POOL } from '../app.tokens.ts';
import type { AuthEnv } from '../env.ts';
import type { GeneratedKey } from './generate-key.ts';
import { Sealing } from './sealing.ts';
import type { SigningAlgorithm, SigningKey } from './signing-keys.ts';

interface Row {
  kid: string;
  alg: SigningAlgorithm;
  sealed_jwk: Buffer;
  created_at: Date;
  signs_from: Date | null;
  retired_at: Date | null;
}

/** Held while keys are changed, so that two processes do not both rotate. The number only has to be the same in all of them. */
const ROTATION_LOCK = 72_707_401;

const COLUMNS = 'kid, alg, sealed_jwk, created_at, signs_from, retired_at';

/** Signing keys in the database, private parts sealed. */
@Injectable()
export class SigningKeysRepository {
  private readonly sealing: Sealing;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(ENV) env: Pick<AuthEnv, 'ENCRYPTION_KEYS'>,
  ) {
    this.sealing = new Sealing(env.ENCRYPTION_KEYS, 'signing keys');
  }

  async findAll(): Promise<SigningKey[]> {
    const { rows } = await this.pool.query<Row>(`SELECT ${COLUMNS} FROM signing_keys`);
    return rows.map((row) => this.toKey(row));
  }

  /** Runs `work` alone among all processes, in one transaction. */
  async change<T>(work: (keys: SigningKeysChange) => Promise<T>): Promise<T> {
    return inTransaction(this.pool, async (client) => {
      await client.query('SELECT pg_advisory_xact_lock($1)', [ROTATION_LOCK]);
      return work(new SigningKeysChange(client, this.sealing, (row) => this.toKey(row as Row)));
    });
  }

  private toKey(row: Row): SigningKey {
    return {
      kid: row.kid,
      alg: row.alg,
      privateJwk: JSON.parse(this.sealing.open(row.sealed_jwk, row.kid)),
      createdAt: row.created_at,
      signsFrom: row.signs_from,
      retiredAt: row.retired_at,
    };
  }
}

/** The statements of one change of keys. */
export class SigningKeysChange {
  constructor(
    private readonly client: PoolClient,
    private readonly sealing: Sealing,
    private readonly toKey: (row: unknown) => SigningKey,
  ) {}

  async findAll(): Promise<SigningKey[]> {
    const { rows } = await this.client.query(`SELECT ${COLUMNS} FROM signing_keys`);
    return rows.map(this.toKey);
  }

  async add(key: GeneratedKey, createdAt: Date, signsFrom: Date | null): Promise<void> {
    await this.client.query(
      'INSERT INTO signing_keys (kid, alg, public_jwk, sealed_jwk, created_at, signs_from) VALUES ($1, $2, $3, $4, $5, $6)',
      [key.kid, key.alg, JSON.stringify(key.publicJwk), this.sealed(key), createdAt, signsFrom],
    );
  }

  async schedule(kid: string, signsFrom: Date): Promise<void> {
    await this.client.query('UPDATE signing_keys SET signs_from = $2 WHERE kid = $1', [
      kid,
      signsFrom,
    ]);
  }

  async retire(kid: string, retiredAt: Date): Promise<void> {
    await this.client.query('UPDATE signing_keys SET retired_at = $2 WHERE kid = $1', [
      kid,
      retiredAt,
    ]);
  }

  async remove(kid: string): Promise<void> {
    await this.client.query('DELETE FROM signing_keys WHERE kid = $1', [kid]);
  }

  /** Seals again what an older encryption key sealed; the number of keys it was done to. */
  async reseal(): Promise<number> {
    const { rows } = await this.client.query<Row>(`SELECT ${COLUMNS} FROM signing_keys`);
    const old = rows.filter((row) => !this.sealing.isCurrent(row.sealed_jwk));
    for (const row of old) {
      const { kid, privateJwk } = this.toKey(row);
      await this.client.query('UPDATE signing_keys SET sealed_jwk = $2 WHERE kid = $1', [
        kid,
        this.sealed({ kid, privateJwk }),
      ]);
    }
    return old.length;
  }

  /** Tells the other processes. */
  async announce(): Promise<void> {
    await this.client.query(
      `UPDATE change_marks SET version = version + 1 WHERE topic = 'signing_keys'`,
    );
  }

  private sealed(key: Pick<GeneratedKey, 'kid' | 'privateJwk'>): Buffer {
    return this.sealing.seal(JSON.stringify(key.privateJwk), key.kid, randomBytes(12));
  }
}
