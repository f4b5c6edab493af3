import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { OPTIONAL_TOKEN, REQUIRED_SCOPES } from './access-token.decorators.ts';
import { missingScopes, TokenRefused, TokenUndecided } from './access-token.ts';
import { AccessTokenVerifier } from './access-token-verifier.ts';
import { rememberCaller, toCaller } from './caller.ts';
import {
  credentialsUnreadable,
  scopeMissing,
  tokenMissing,
  tokenRefused,
  tokenUndecided,
} from './challenge.ts';
import { readAuthorization } from './presented-token.ts';

/** Where this service is found by its clients; proofs are made for that address, not for what a Host field says. */
export class PublicOrigin {
  constructor(readonly url: string) {}
}

/** Lets requests with a good access token pass and tells handlers who calls (`@Caller()`). */
@Injectable()
export class AccessTokenGuard implements CanActivate {
  constructor(
    private readonly verifier: AccessTokenVerifier,
    private readonly publicOrigin: PublicOrigin,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { authorization } = request.headers;
    if (authorization === undefined) {
      if (metadata<boolean>(context, OPTIONAL_TOKEN)) return true;
      throw tokenMissing();
    }
    // Credentials that we cannot read must not turn a caller into an anonymous one.
    const credentials = readAuthorization(authorization);
    if (!credentials) throw credentialsUnreadable();
    const verdict = await this.verifier.verify({
      ...credentials,
      method: request.method,
      url: `${this.publicOrigin.url}${request.url}`,
      dpopProof: soleField(request.headers['dpop']),
    });
    if (verdict instanceof TokenRefused) throw tokenRefused(verdict, credentials.scheme);
    if (verdict instanceof TokenUndecided) throw tokenUndecided(verdict);
    const missing = missingScopes(verdict, metadata<string[]>(context, REQUIRED_SCOPES) ?? []);
    if (missing.length > 0) throw scopeMissing(missing, credentials.scheme);
    rememberCaller(request, toCaller(verdict));
    return true;
  }
}

function soleField(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The handler's word counts before the controller's. */
function metadata<T>(context: ExecutionContext, key: symbol): T | undefined {
  return (Reflect.getMetadata(key, context.getHandler()) ??
    Reflect.getMetadata(key, context.getClass())) as T | undefined;
}
