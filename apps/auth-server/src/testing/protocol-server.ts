import 'reflect-metadata';
import { fileURLToPath } from 'node:url';
import { migrate, openPool, type Pool } from '@gatepost/postgres';
import { createLogger, createMetrics, Readiness, type Registry } from '@gatepost/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { type Infrastructure, InfrastructureModule } from '../app.infrastructure.ts';
import { type AuthEnv, environment } from '../env.ts';
import { OidcProvider } from '../provider/oidc-provider.service.ts';
import { PlainPages } from '../provider/plain-pages.ts';
import { ProviderModule } from '../provider/provider.module.ts';
import { buildServer } from '../serve.ts';
import { ALICE, TestAccounts, TestConsents } from './test-people.ts';

export const PUBLIC_URL = 'http://platform.example';
export const ISSUER = `${PUBLIC_URL}/auth`;
const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

@Module({})
class ProtocolAlone {
  static with(infrastructure: Infrastructure): DynamicModule {
    return {
      module: ProtocolAlone,
      imports: [
        InfrastructureModule.with(infrastructure),
        ProviderModule.forPeople({
          imports: [],
          accounts: TestAccounts,
          consents: TestConsents,
          pages: PlainPages,
        }),
      ],
    };
  }
}

export interface ProtocolServer {
  /** Where it listens; what it says of itself is PUBLIC_URL. */
  readonly origin: string;
  readonly app: NestFastifyApplication;
  readonly pool: Pool;
  readonly env: AuthEnv;
  readonly metrics: Registry;
  /** What it logged. */
  readonly lines: string[];
  /** How the stand-in for the sign-in and consent pages decides. */
  readonly person: { accountId: string; allows: boolean };
  close(): Promise<void>;
}

/** The environment of a spec; what is not named is as in development. */
export function testEnv(url: string, overrides: Record<string, string> = {}): AuthEnv {
  return environment.parse({
    DATABASE_URL: url,
    PUBLIC_URL,
    DEMO: 'true',
    WATCH_INTERVAL_MS: '50',
    PURGE_INTERVAL_S: '0',
    DATABASE_POOL: '8',
    ...overrides,
  });
}

/** The protocol over real HTTP on a real database, with a stand-in for the pages that signs in and consents by itself. */
export async function startProtocolServer(
  url: string,
  overrides: Record<string, string> = {},
): Promise<ProtocolServer> {
  const env = testEnv(url, overrides);
  await migrate({ url, folder: MIGRATIONS });
  const pool = openPool({ url, applicationName: 'spec', maxConnections: env.DATABASE_POOL });
  const lines: string[] = [];
  const logger = createLogger({
    name: 'auth-server',
    level: 'info',
    destination: { write: (line: string) => void lines.push(line) },
  });
  const metrics = createMetrics('auth-server');
  const readiness = new Readiness();
  const person = { accountId: ALICE, allows: true };
  const app = await buildServer({ env, logger, metrics, readiness }, pool, {
    module: ProtocolAlone.with({ env, pool, logger, metrics }),
    prepare: (fastify, nest) => answerInteractions(fastify, nest.get(OidcProvider), person),
  });
  await app.listen(0, '127.0.0.1');
  const { port } = app.getHttpServer().address() as { port: number };
  return {
    origin: `http://127.0.0.1:${port}`,
    app,
    pool,
    env,
    metrics,
    lines,
    person,
    close: async () => {
      await app.close();
      await pool.end();
    },
  };
}

function answerInteractions(
  fastify: FastifyInstance,
  oidc: OidcProvider,
  person: { accountId: string; allows: boolean },
): void {
  fastify.get('/auth/interaction/:uid', async (request, reply) => {
    const provider = oidc.current;
    const details = await provider.interactionDetails(request.raw, reply.raw);
    const { prompt, params, grantId, session } = details;
    let result: Record<string, unknown>;
    if (!person.allows) result = { error: 'access_denied', error_description: 'declined' };
    else if (prompt.name === 'login') result = { login: { accountId: person.accountId } };
    else {
      const accountId = session?.accountId as string;
      const clientId = String(params['client_id']);
      const known = grantId ? await provider.Grant.find(grantId) : undefined;
      const grant = known ?? new provider.Grant({ accountId, clientId });
      const missing = prompt.details as {
        missingOIDCScope?: string[];
        missingOIDCClaims?: string[];
        missingResourceScopes?: Record<string, string[]>;
      };
      if (missing.missingOIDCScope) grant.addOIDCScope(missing.missingOIDCScope.join(' '));
      if (missing.missingOIDCClaims) grant.addOIDCClaims(missing.missingOIDCClaims);
      for (const [resource, scopes] of Object.entries(missing.missingResourceScopes ?? {}))
        grant.addResourceScope(resource, scopes.join(' '));
      result = { consent: { grantId: await grant.save() } };
    }
    const returnTo = await provider.interactionResult(request.raw, reply.raw, result);
    return reply.redirect(returnTo, 303);
  });
}
