import { isUnreachable } from '@gatepost/postgres';
import type { Logger, Registry } from '@gatepost/service-kit';
import { Inject, Injectable } from '@nestjs/common';
import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import { Counter } from 'prom-client';
import { LOGGER, METRICS } from '../app.tokens.ts';
import { AuditLog } from '../audit/audit-log.service.ts';
import { noteStoreAway } from './response-rules.ts';

/** Events that end a request with an error, and the endpoint they speak of. */
const ERROR_EVENTS = {
  'authorization.error': 'authorize',
  'grant.error': 'token',
  'userinfo.error': 'userinfo',
  'introspection.error': 'introspect',
  'revocation.error': 'revoke',
  'pushed_authorization_request.error': 'par',
  'device_authorization.error': 'device_authorization',
  'code_verification.error': 'device',
  'device_resume.error': 'device',
  'end_session.error': 'logout',
  'end_session_confirm.error': 'logout',
  'registration_create.error': 'register',
  'discovery.error': 'discovery',
  'jwks.error': 'jwks',
} as const;

/** Tokens whose issuance is counted; opaque ones are saved, JWTs issued. */
const ISSUED_EVENTS = {
  'access_token.saved': 'access_token',
  'access_token.issued': 'access_token',
  'client_credentials.saved': 'access_token',
  'client_credentials.issued': 'access_token',
  'refresh_token.saved': 'refresh_token',
  'authorization_code.saved': 'authorization_code',
  'device_code.saved': 'device_code',
} as const;

/** Error codes a client can cause; anything else shares one label. */
const KNOWN_ERRORS = new Set(
  [
    'access_denied authorization_pending consent_required expired_token interaction_required invalid_client invalid_client_metadata',
    'invalid_dpop_proof invalid_grant invalid_redirect_uri invalid_request invalid_request_uri invalid_scope invalid_target',
    'invalid_token insufficient_scope login_required request_not_supported request_uri_not_supported server_error slow_down',
    'temporarily_unavailable unauthorized_client unsupported_grant_type unsupported_response_type unsupported_token_type use_dpop_nonce',
  ].flatMap((line) => line.split(' ')),
);

type Refusal = errors.OIDCProviderError | Error;

/** Turns the library's events into metrics, log lines with the real reason, and the audit trail. */
@Injectable()
export class ProviderEvents {
  private readonly refused: Counter<'endpoint' | 'error'>;
  private readonly issued: Counter<'kind'>;

  constructor(
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(METRICS) metrics: Registry,
    private readonly audit: AuditLog,
  ) {
    this.refused = new Counter({
      name: 'auth_protocol_errors_total',
      help: 'Protocol requests answered with an error, by endpoint and error code',
      labelNames: ['endpoint', 'error'],
      registers: [metrics],
    });
    this.issued = new Counter({
      name: 'auth_tokens_issued_total',
      help: 'Tokens and codes issued, by kind',
      labelNames: ['kind'],
      registers: [metrics],
    });
  }

  listenTo(provider: Provider): void {
    const on = provider.on.bind(provider) as (event: string, listener: Listener) => unknown;
    for (const [event, endpoint] of Object.entries(ERROR_EVENTS))
      on(event, (ctx, error) => this.refuse(endpoint, ctx as KoaContextWithOIDC, error as Refusal));
    for (const [event, kind] of Object.entries(ISSUED_EVENTS)) {
      const counter = this.issued.labels(kind);
      on(event, () => counter.inc());
    }
    on('server_error', (ctx, error) => this.fail(ctx as KoaContextWithOIDC, error as Error));
    on('grant.saved', (grant) => this.audit.record('grant.given', grantFacts(grant)));
    on('end_session.success', (ctx) =>
      this.audit.record('session.ended', { ip: (ctx as KoaContextWithOIDC).ip }),
    );
    on('registration_create.success', (_ctx, client) =>
      this.audit.record('client.registered', {
        clientId: (client as { clientId: string }).clientId,
      }),
    );
    on('backchannel.success', (_ctx, client) =>
      this.audit.record('backchannel-logout.sent', {
        clientId: (client as { clientId: string }).clientId,
      }),
    );
    on('backchannel.error', (_ctx, error, client) => {
      const { clientId } = client as { clientId: string };
      this.logger.warn({ err: error, clientId }, 'a back-channel logout was not delivered');
      this.audit.record('backchannel-logout.failed', { clientId });
    });
  }

  /** The answer hides the reason (an attacker would learn from it); operators need it. */
  private refuse(endpoint: string, ctx: KoaContextWithOIDC, error: Refusal): void {
    const { message, error_description, error_detail } = error as errors.OIDCProviderError;
    const code = KNOWN_ERRORS.has(message) ? message : 'other';
    this.refused.inc({ endpoint, error: code });
    this.logger.info(
      {
        endpoint,
        error: code,
        reason: error_detail ?? error_description,
        clientId: ctx.oidc?.client?.clientId,
        ip: ctx.ip,
      },
      'protocol request refused',
    );
  }

  private fail(ctx: KoaContextWithOIDC, error: Error): void {
    const endpoint = ctx.oidc?.route ?? 'unknown';
    this.refused.inc({ endpoint, error: 'server_error' });
    if (isUnreachable(error)) {
      noteStoreAway(ctx);
      this.logger.warn({ endpoint }, 'the database is away');
    } else this.logger.error({ err: error, endpoint }, 'protocol request failed');
  }
}

type Listener = (...parts: unknown[]) => void;

function grantFacts(grant: unknown): { accountId?: string; clientId?: string; scope?: string } {
  const { accountId, clientId, openid, resources } = grant as {
    accountId?: string;
    clientId?: string;
    openid?: { scope?: string };
    resources?: Record<string, string>;
  };
  const scope = [openid?.scope, ...Object.values(resources ?? {})].filter(Boolean).join(' ');
  return { ...(accountId ? { accountId } : {}), ...(clientId ? { clientId } : {}), scope };
}
