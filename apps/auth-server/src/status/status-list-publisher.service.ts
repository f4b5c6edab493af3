import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { importJWK, SignJWT } from 'jose';
import { ADDRESSES } from '../app.tokens.ts';
import type { Addresses } from '../env.ts';
import { SigningKeysRepository } from '../keys/signing-keys.repository.ts';
import { type SigningKey, stateOf } from '../keys/signing-keys.ts';
import { statusListClaims } from './status-list-token.ts';
import { StatusListsRepository } from './status-lists.repository.ts';

/** A list is signed again this often even if nothing changed, so that a copy tells how fresh it is. */
const RESIGN_MS = 30_000;
/** A copy is good for this long: what a resource server lives on when it cannot fetch. */
const VALID_MS = 300_000;
/** How long resource servers may wait between two looks, seconds. */
export const POLL_SECONDS = 1;

export interface PublishedList {
  readonly token: string;
  readonly etag: string;
  readonly signedAt: number;
  readonly revoked: number;
  readonly kid: string;
}

/** Signs status lists on demand and keeps them until a bit is set or they grow old. */
@Injectable()
export class StatusListPublisher {
  private readonly published = new Map<string, PublishedList>();
  private readonly signing = new Map<string, Promise<PublishedList>>();
  private signer: SigningKey | undefined;

  constructor(
    private readonly lists: StatusListsRepository,
    private readonly keys: SigningKeysRepository,
    @Inject(ADDRESSES) private readonly addresses: Addresses,
  ) {}

  /** Takes over the key that signs from now on. */
  useKeys(keys: readonly SigningKey[], now: Date): void {
    this.signer = keys.find((key) => key.alg === 'ES256' && stateOf(key, now) === 'current');
  }

  /** The list as it is in the database at this moment; undefined when there is none or no token lives that points to it. */
  async publish(listId: string, now: Date): Promise<PublishedList | undefined> {
    const state = await this.lists.stateOf(listId);
    if (!state || state.dropAt < now) {
      this.published.delete(listId);
      return undefined;
    }
    const known = this.published.get(listId);
    const isFresh =
      known?.revoked === state.revoked &&
      known.kid === this.signer?.kid &&
      now.getTime() - known.signedAt < RESIGN_MS;
    if (isFresh) return known;
    return this.signOnce(listId, state.revoked, now);
  }

  private signOnce(listId: string, revoked: number, now: Date): Promise<PublishedList> {
    const key = `${listId} ${revoked}`;
    let signing = this.signing.get(key);
    if (!signing) {
      signing = this.sign(listId, now).finally(() => this.signing.delete(key));
      this.signing.set(key, signing);
    }
    return signing;
  }

  private async sign(listId: string, now: Date): Promise<PublishedList> {
    const positions = await this.lists.positionsOf(listId);
    if (!this.signer) this.useKeys(await this.keys.findAll(), now);
    const signer = this.signer as SigningKey;
    const seconds = Math.floor(now.getTime() / 1000);
    const uri = `${this.addresses.issuer}/status-lists/${listId}`;
    const claims = statusListClaims({
      uri,
      issuer: this.addresses.issuer,
      revoked: positions,
      issuedAtSeconds: seconds,
      expiresAtSeconds: seconds + VALID_MS / 1000,
      ttlSeconds: POLL_SECONDS,
    });
    const token = await new SignJWT(claims)
      .setProtectedHeader({ alg: signer.alg, kid: signer.kid, typ: 'statuslist+jwt' })
      .sign(await importJWK(signer.privateJwk, signer.alg));
    const list: PublishedList = {
      token,
      etag: `"${createHash('sha256').update(token).digest('base64url').slice(0, 22)}"`,
      signedAt: now.getTime(),
      revoked: positions.length,
      kid: signer.kid,
    };
    this.published.set(listId, list);
    return list;
  }
}
