// A bare node:http redirect: the least that Node can do.
import { createServer } from 'node:http';

const server = createServer((_request, response) => {
  response.writeHead(302, { location: 'https://example.com/', 'content-length': 0 });
  response.end();
});
server.listen(0, '127.0.0.1', () => process.send?.({ type: 'ready', port: server.address().port }));
process.on('disconnect', () => process.exit(0));
