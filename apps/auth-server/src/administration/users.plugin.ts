import { registerUser } from '@gatepost/contracts';
import type { FastifyInstance } from 'fastify';
import { pageQuery } from './page-query.ts';
import type { UserAdministration } from './user-administration.service.ts';
import { validated } from './validated.ts';

interface ById {
  Params: { id: string };
}

/** `/admin/users`: the people who can sign in. */
export function userRoutes(users: UserAdministration) {
  return async (door: FastifyInstance): Promise<void> => {
    // Answers hold temporary passwords now and then.
    door.addHook('onSend', async (_request, reply) => {
      reply.header('cache-control', 'no-store');
    });

    door.get('/admin/users', async (request) => {
      const { cursor, limit, q } = validated(pageQuery, request.query);
      return users.list({ afterId: cursor, limit, search: q });
    });

    door.post('/admin/users', async (request, reply) => {
      const registered = await users.register(validated(registerUser, request.body));
      reply.code(201).header('location', `/admin/users/${registered.id}`);
      return registered;
    });

    door.get<ById>('/admin/users/:id', async ({ params }) => users.show(params.id));

    door.delete<ById>('/admin/users/:id', async ({ params }, reply) => {
      await users.remove(params.id);
      return reply.code(204).send();
    });

    door.post<ById>('/admin/users/:id/reset-password', async ({ params }, reply) => {
      reply.code(201);
      return users.resetPassword(params.id);
    });

    door.post<ById>('/admin/users/:id/disable', async ({ params }) =>
      users.setDisabled(params.id, true),
    );

    door.post<ById>('/admin/users/:id/enable', async ({ params }) =>
      users.setDisabled(params.id, false),
    );

    door.post<ById>('/admin/users/:id/end-sessions', async ({ params }, reply) => {
      await users.endSessions(params.id);
      return reply.code(204).send();
    });
  };
}
