import { issueKey } from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import type { FastifyInstance } from 'fastify';
import { credentialDigest } from '../identity/keyed-hash.ts';
import type { DefinitionStore } from './definition-store.ts';
import type { Definitions } from './definitions.service.ts';
import { validated } from './validated.ts';

export interface KeyAdministration {
  readonly definitions: Definitions;
  readonly store: DefinitionStore;
  readonly hasTier: (tier: string) => boolean;
  /** Fresh secret of 256 bits, base64url. */
  readonly randomSecret: () => string;
  readonly nowMs: () => number;
}

/** Tells our keys from others where they turn up, for secret scanners and for people. */
const KEY_PREFIX = 'gp_';
const HINT_LENGTH = KEY_PREFIX.length + 5;

/** `/admin/keys`: API keys are issued, listed and revoked here. */
export function keyRoutes(parts: KeyAdministration) {
  return async (door: FastifyInstance): Promise<void> => {
    const { definitions, store } = parts;

    // Another worker may have answered the request that changed it.
    door.get('/admin/keys', async () => {
      await definitions.refresh();
      return { items: definitions.listKeys() };
    });

    door.post('/admin/keys', async (request, reply) => {
      const { name, tier } = validated(issueKey, request.body);
      if (!parts.hasTier(tier))
        throw new DomainError('invalid-request', 'There is no such tier.', {
          errors: [{ pointer: '/tier', detail: 'is not one of the tiers' }],
        });
      const key = KEY_PREFIX + parts.randomSecret();
      const hint = key.slice(0, HINT_LENGTH);
      const createdAt = new Date(parts.nowMs()).toISOString();
      const taken = definitions.listKeys().some((listed) => listed.name === name);
      const stored = { name, tier, digest: credentialDigest(key), hint, createdAt };
      if (taken || !(await store.addKey(stored)))
        throw new DomainError('conflict', 'A key of this name exists.');
      await definitions.refresh();
      reply.code(201).header('cache-control', 'no-store');
      // The only time that the key itself is shown.
      return { name, tier, source: 'issued', hint, createdAt, key };
    });

    door.delete<{ Params: { name: string } }>('/admin/keys/:name', async (request, reply) => {
      const { name } = request.params;
      const listed = definitions.listKeys().find((key) => key.name === name);
      if (listed && listed.source !== 'issued')
        throw new DomainError(
          'conflict',
          `The key comes from the ${listed.source}: remove it there.`,
        );
      if (!(await store.removeKey(name)))
        throw new DomainError('not-found', 'There is no key of this name.');
      await definitions.refresh();
      return reply.code(204).send();
    });
  };
}
