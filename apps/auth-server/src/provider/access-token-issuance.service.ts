import { Inject, Injectable } from '@nestjs/common';
import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { ADDRESSES } from '../app.tokens.ts';
import type { Addresses } from '../env.ts';
import { StatusIndexes } from '../status/status-indexes.service.ts';
import { hashId, type RecordRow } from '../store/record.ts';
import { RecordsRepository } from '../store/records.repository.ts';
import type { StatusPlace } from '../store/status-place.ts';
import type { LocalSigningKey } from './local-signing-key.ts';
import { requestWork } from './request-works.ts';
import { runningRequest } from './running-request.ts';

/** An access token of the library, a user's or a client's own, as far as it is touched here. */
export interface IssuedToken {
  readonly kind: string;
  readonly jti: string;
  readonly clientId: string;
  readonly accountId?: string;
  readonly grantId?: string;
  readonly gty?: string;
  readonly jkt?: string;
  readonly sessionUid?: string;
  readonly expiresWithSession?: boolean;
  readonly sid?: string;
  /** Seconds it lives. */
  readonly expiration: number;
  scope?: string | undefined;
  aud?: string | string[];
  claims?: unknown;
  iat?: number;
  exp?: number;
}

interface Descent {
  readonly scopes: Set<string>;
  readonly claims?: unknown;
}

/**
 * The JWT access tokens (RFC 9068): what they say, their status, their row. The library would build them in the same shape with a
 * detour; the row is what makes them introspectable and revocable. Its key is the hash of the whole token: only its holder finds it.
 */
@Injectable()
export class AccessTokenIssuance {
  private readonly issuer: string;
  private readonly api: string;

  constructor(
    @Inject(ADDRESSES) addresses: Addresses,
    private readonly indexes: StatusIndexes,
    private readonly records: RecordsRepository,
  ) {
    this.issuer = addresses.issuer;
    this.api = addresses.api;
  }

  /** Signs the token and sees that it is written; with the answer where it descends from a grant, at once where it does not. */
  async issue(token: IssuedToken, key: LocalSigningKey): Promise<string> {
    token.iat = Math.floor(Date.now() / 1000);
    token.exp = token.iat + token.expiration;
    if (token.kind === 'AccessToken') this.addUserinfo(token);
    const place = await this.indexes.take();
    const value = await key.signJwt('at+jwt', this.claimsOf(token, place));
    const row = rowOf(token, value);
    const work = token.grantId ? requestWork() : undefined;
    if (work) work.addToken(row, place);
    else await this.records.insertAccessToken({ row, status: place });
    return value;
  }

  private claimsOf(token: IssuedToken, place: StatusPlace): Record<string, unknown> {
    return {
      iss: this.issuer,
      sub: token.accountId ?? token.clientId,
      aud: token.aud,
      client_id: token.clientId,
      scope: token.scope || undefined,
      jti: token.jti,
      iat: token.iat,
      exp: token.exp,
      cnf: token.jkt ? { jkt: token.jkt } : undefined,
      status: {
        status_list: {
          idx: place.position,
          uri: `${this.issuer}/status-lists/${place.listId}`,
        },
      },
    };
  }

  /** One token for the API and for userinfo when `openid` was granted along. */
  private addUserinfo(token: IssuedToken): void {
    const ctx = runningRequest();
    const source = ctx && sourceOf(ctx);
    const grant = ctx?.oidc.entities.Grant;
    if (!source || !grant) throw new errors.InvalidGrant('grant not found');
    const oidc = grant.getOIDCScopeFiltered(scopesAsked(ctx, source)).split(' ').filter(Boolean);
    if (!oidc.includes('openid')) return;
    const scopes = new Set([...oidc, ...(token.scope?.split(' ') ?? [])]);
    token.scope = [...scopes].filter(Boolean).join(' ');
    token.aud = [this.api, this.issuer];
    token.claims = source.claims;
  }
}

function rowOf(token: IssuedToken, value: string): RecordRow {
  const { kind, clientId, accountId, grantId, gty, scope, aud, jkt, claims, iat, exp } = token;
  const { sessionUid, expiresWithSession, sid } = token;
  return {
    kind,
    id: hashId(value),
    payload: {
      ...{ kind, iat, exp, clientId, accountId, grantId, gty, scope, aud, jkt, claims },
      ...{ sessionUid, expiresWithSession, sid },
    },
    grantId: grantId ?? null,
    accountId: accountId ?? null,
    clientId,
    uid: null,
    userCode: null,
    expiresAt: new Date((exp as number) * 1000),
  };
}

function sourceOf(ctx: KoaContextWithOIDC): Descent | undefined {
  const { AuthorizationCode, RefreshToken, DeviceCode } = ctx.oidc.entities;
  return (RefreshToken ?? AuthorizationCode ?? DeviceCode) as Descent | undefined;
}

/** On refresh a narrower scope may be asked for than the token has. */
function scopesAsked(ctx: KoaContextWithOIDC, source: Descent): Set<string> {
  const scope = ctx.oidc.params?.['scope'];
  return typeof scope === 'string' && ctx.oidc.params?.['grant_type'] === 'refresh_token'
    ? new Set(scope.split(' '))
    : source.scopes;
}
