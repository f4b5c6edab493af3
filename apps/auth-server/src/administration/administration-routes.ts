import type { INestApplicationContext } from '@nestjs/common';
import type { FastifyInstance } from 'fastify';
import { ClientAdministration } from '../clients/client-administration.service.ts';
import type { AuthEnv } from '../env.ts';
import { KeyRotation } from '../keys/key-rotation.service.ts';
import { SigningKeysRepository } from '../keys/signing-keys.repository.ts';
import { KeysInUse } from '../provider/keys-in-use.service.ts';
import { OidcProvider } from '../provider/oidc-provider.service.ts';
import { clientRoutes } from './clients.plugin.ts';
import { signingKeyRoutes } from './signing-keys.plugin.ts';
import { UserAdministration } from './user-administration.service.ts';
import { userRoutes } from './users.plugin.ts';

/** All of `/admin/…`, for the management door, which asks for the token. */
export function administrationRoutes(app: INestApplicationContext, env: AuthEnv) {
  const oidc = app.get(OidcProvider);
  return async (door: FastifyInstance): Promise<void> => {
    await door.register(
      clientRoutes({
        clients: app.get(ClientAdministration),
        issueInitialAccessToken: env.DYNAMIC_REGISTRATION
          ? (seconds) => issueInitialAccessToken(oidc, seconds)
          : undefined,
      }),
    );
    await door.register(
      signingKeyRoutes({
        keys: app.get(SigningKeysRepository),
        rotation: app.get(KeyRotation),
        inUse: app.get(KeysInUse),
        rotationSeconds: env.KEY_ROTATION_S,
      }),
    );
    await door.register(userRoutes(app.get(UserAdministration)));
  };
}

async function issueInitialAccessToken(oidc: OidcProvider, seconds: number) {
  const { InitialAccessToken } = oidc.current;
  const token = new InitialAccessToken({ expiresIn: seconds });
  return {
    token: await token.save(),
    expiresAt: new Date(Date.now() + seconds * 1000).toISOString(),
  };
}
