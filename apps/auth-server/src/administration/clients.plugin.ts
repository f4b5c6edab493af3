import {
  changeClient,
  issueInitialAccessToken,
  registerClient,
  rotateSecret,
} from '@gatepost/contracts';
import { DomainError } from '@gatepost/problem-details';
import type { FastifyInstance } from 'fastify';
import type { ClientAdministration } from '../clients/client-administration.service.ts';
import { pageQuery } from './page-query.ts';
import { validated } from './validated.ts';

export interface ClientRouteParts {
  readonly clients: ClientAdministration;
  /** Undefined while dynamic registration is off. */
  readonly issueInitialAccessToken:
    | ((expiresInSeconds: number) => Promise<{ token: string; expiresAt: string }>)
    | undefined;
}

interface ById {
  Params: { id: string };
}

/** `/admin/clients`: registered applications. */
export function clientRoutes({ clients, ...parts }: ClientRouteParts) {
  return async (door: FastifyInstance): Promise<void> => {
    // Answers hold secrets now and then.
    door.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });

    door.get('/admin/clients', async (request) => {
      const { cursor, limit } = validated(pageQuery, request.query);
      return clients.list({ after: cursor, limit });
    });

    door.post('/admin/clients', async (request, reply) => {
      const registered = await clients.register(validated(registerClient, request.body));
      reply.code(201).header('location', `/admin/clients/${registered.clientId}`);
      return registered;
    });

    door.get<ById>('/admin/clients/:id', async ({ params }) => clients.show(params.id));

    door.patch<ById>('/admin/clients/:id', async ({ params, body }) =>
      clients.change(params.id, validated(changeClient, body)),
    );

    door.delete<ById>('/admin/clients/:id', async ({ params }, reply) => {
      await clients.remove(params.id);
      return reply.code(204).send();
    });

    door.post<ById>('/admin/clients/:id/secrets', async ({ params, body }, reply) => {
      const { overlapSeconds } = validated(rotateSecret, body ?? {});
      reply.code(201);
      return clients.rotateSecret(params.id, overlapSeconds, new Date());
    });

    door.post<ById>('/admin/clients/:id/disable', async ({ params }) =>
      clients.disable(params.id, new Date()),
    );

    door.post<ById>('/admin/clients/:id/enable', async ({ params }) => clients.enable(params.id));

    door.post('/admin/initial-access-tokens', async (request, reply) => {
      if (!parts.issueInitialAccessToken)
        throw new DomainError('conflict', 'Dynamic registration is off (DYNAMIC_REGISTRATION).');
      const { expiresInSeconds } = validated(issueInitialAccessToken, request.body ?? {});
      reply.code(201);
      return parts.issueInitialAccessToken(expiresInSeconds);
    });
  };
}
