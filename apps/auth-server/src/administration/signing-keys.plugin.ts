import { rotateSigningKeys, type SigningKeyList } from '@gatepost/contracts';
import type { FastifyInstance } from 'fastify';
import type { KeyRotation } from '../keys/key-rotation.service.ts';
import type { SigningKeysRepository } from '../keys/signing-keys.repository.ts';
import { inSigningOrder, stateOf } from '../keys/signing-keys.ts';
import type { KeysInUse } from '../provider/keys-in-use.service.ts';
import { validated } from './validated.ts';

export interface SigningKeyRouteParts {
  readonly keys: SigningKeysRepository;
  readonly rotation: KeyRotation;
  readonly inUse: KeysInUse;
  /** Age at which a key is replaced; 0: only by command. */
  readonly rotationSeconds: number;
}

/** `/admin/signing-keys`: which keys sign, and their rotation. */
export function signingKeyRoutes({ keys, rotation, inUse, rotationSeconds }: SigningKeyRouteParts) {
  const list = async (): Promise<SigningKeyList> => {
    const now = new Date();
    return {
      items: inSigningOrder(await keys.findAll(), now).map((key) => ({
        kid: key.kid,
        alg: key.alg,
        state: stateOf(key, now),
        createdAt: key.createdAt.toISOString(),
        signsFrom: key.signsFrom?.toISOString() ?? null,
        retiredAt: key.retiredAt?.toISOString() ?? null,
      })),
      rotationSeconds,
    };
  };

  return async (door: FastifyInstance): Promise<void> => {
    door.get('/admin/signing-keys', list);

    door.post('/admin/signing-keys/rotations', async (request, reply) => {
      const { immediately } = validated(rotateSigningKeys, request.body ?? {});
      const now = new Date();
      await rotation.rotate(now, { immediately });
      await inUse.read(now);
      reply.code(201);
      return list();
    });
  };
}
