import { createParamDecorator, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { callerOf } from './caller.ts';

export const REQUIRED_SCOPES = Symbol('scopes that the access token must have');
export const OPTIONAL_TOKEN = Symbol('no access token is needed');

/** The access token must have been granted every one of these scopes, else 403. */
export const RequireScopes = (...scopes: [string, ...string[]]) =>
  SetMetadata(REQUIRED_SCOPES, scopes);

/** Requests without a token pass as anonymous. One that is sent must be good, and have the required scopes. */
export const OptionalAccessToken = () => SetMetadata(OPTIONAL_TOKEN, true);

/** The caller; behind `@OptionalAccessToken()` it may be undefined. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callerOf(context.switchToHttp().getRequest<object>()),
);
