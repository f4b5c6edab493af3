import { migrate } from '@gatepost/postgres';
import { createApp, runService } from '@gatepost/service-kit';
import { AppModule } from './app.module.ts';
import { environment } from './env.ts';
import { MIGRATIONS } from './migrate.ts';
import { refuseOtherMethods } from './openapi/other-methods.routes.ts';
import { registerPublicRoutes } from './openapi/public.routes.ts';
import { FastLane } from './redirect/fast-lane.ts';
import { sendPageInstead } from './redirect/page-reply.ts';
import { RedirectRoute } from './redirect/redirect.route.ts';
import { restrictBodies } from './request-bodies.ts';
import { openStores } from './stores.ts';

/** `api`, the default: creates, redirects, the owner's API. */
export function runApi(): Promise<void> {
  return runService({
    name: 'shortener',
    environment,
    build: async (parts) => {
      const { env, logger, readiness } = parts;
      const stores = await openStores(parts);
      try {
        // In production a step of its own (`migrate`), so that pods need no rights to change the schema.
        if (env.GATEPOST_ENV === 'development')
          await migrate({ url: stores.database.url, folder: MIGRATIONS });
        const app = await createApp({
          module: AppModule.with({ ...parts, stores }),
          logger,
          readiness,
          tracing: parts.tracing,
          trustedProxies: env.TRUSTED_PROXIES,
          answerInstead: sendPageInstead,
          prepare: (fastify, nest) => {
            restrictBodies(fastify);
            registerPublicRoutes(fastify, env.PUBLIC_URL);
            refuseOtherMethods(fastify);
            nest.get(RedirectRoute).register(fastify);
            // A trace begins in a hook of the app's: what is traced has to pass there.
            if (!parts.tracing.isOn) nest.get(FastLane).install(fastify.server);
          },
        });
        return { app, close: () => stores.close() };
      } catch (error) {
        await stores.close();
        throw error;
      }
    },
  });
}
