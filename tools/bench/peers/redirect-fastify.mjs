// A bare Fastify redirect: one route, one field, nothing looked up and nothing counted.
import fastify from 'fastify';

const app = fastify({ logger: false });
app.get('/:code', (_request, reply) =>
  reply.code(302).header('location', 'https://example.com/').send(),
);
await app.listen({ port: 0, host: '127.0.0.1' });
process.send?.({ type: 'ready', port: app.server.address().port });
process.on('disconnect', () => process.exit(0));
