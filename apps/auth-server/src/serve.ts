import type { Pool } from '@gatepost/postgres';
import { createApp, type ServiceParts } from '@gatepost/service-kit';
import type { DynamicModule } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { AppModule } from './app.module.ts';
import { ClientsRepository } from './clients/clients.repository.ts';
import { demoClients } from './clients/demo-clients.ts';
import { type AuthEnv, addressesOf } from './env.ts';
import { answerWithPage } from './interaction/answer-with-page.ts';
import { KeyRotation } from './keys/key-rotation.service.ts';
import { Purge } from './maintenance/purge.service.ts';
import { trustedProxies } from './provider/client-address.ts';
import { KeySchedule } from './provider/key-schedule.service.ts';
import { KeysInUse } from './provider/keys-in-use.service.ts';
import { mountProtocol } from './provider/mount.plugin.ts';
import { OidcProvider } from './provider/oidc-provider.service.ts';
import { Watch } from './provider/watch.service.ts';

export type ServerParts = Pick<ServiceParts<AuthEnv>, 'env' | 'logger' | 'metrics' | 'readiness'> &
  Partial<Pick<ServiceParts<AuthEnv>, 'tracing'>>;

/** What a spec composes differently. */
export interface Composition {
  readonly module: DynamicModule;
  readonly prepare?: (fastify: FastifyInstance, app: NestFastifyApplication) => void;
}

/** Builds the server on a migrated database; it serves once its owner lets it listen. */
export async function buildServer(
  parts: ServerParts,
  pool: Pool,
  composition: Composition = { module: AppModule.with({ ...parts, pool }) },
): Promise<NestFastifyApplication> {
  const { env, logger, readiness } = parts;
  const app = await createApp({
    module: composition.module,
    logger,
    readiness,
    trustedProxies: env.TRUSTED_PROXIES,
    ...(parts.tracing ? { tracing: parts.tracing } : {}),
    answerInstead: answerWithPage(addressesOf(env)),
    prepare: (fastify, nest) => {
      const provider = nest.get(OidcProvider);
      mountProtocol(fastify, {
        addresses: addressesOf(env),
        isTrustedProxy: trustedProxies(env.TRUSTED_PROXIES),
        readiness,
        tracing: parts.tracing,
        handle: (request, response) => provider.handle(request, response),
      });
      composition.prepare?.(fastify, nest);
    },
  });
  const now = new Date();
  if (env.DEMO) await createDemoClients(app.get(ClientsRepository));
  await app.get(KeyRotation).maintain(now);
  await app.get(KeysInUse).read(now);
  app.get(Watch).start(env.WATCH_INTERVAL_MS);
  app.get(KeySchedule).start();
  app.get(Purge).schedule(env.PURGE_INTERVAL_S);
  if (!env.AUTH_STRICT)
    logger.warn(
      'AUTH_STRICT=false: PKCE, state and nonce are not required. For certification runs only',
    );
  return app;
}

async function createDemoClients(clients: ClientsRepository): Promise<void> {
  for (const client of demoClients) await clients.save({ ...client, origin: 'demo' });
}
