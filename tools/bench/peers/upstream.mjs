// What every gateway forwards to: a small JSON answer, as cheap as node:http makes it.
import { createServer } from 'node:http';

const body = JSON.stringify({ ok: true, message: 'a small answer of a small service' });
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
});
server.keepAliveTimeout = 72_000;
server.listen(Number(process.env.PORT ?? 0), '127.0.0.1', () =>
  process.send?.({ type: 'ready', port: server.address().port }),
);
process.on('disconnect', () => process.exit(0));
