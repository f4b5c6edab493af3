// The limit of what Node does here: node:http in front, undici's dispatch behind, hop-by-hop fields stripped, no limiter at all.
import { createServer } from 'node:http';
import { Pool } from 'undici';

const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'proxy-authenticate',
  'proxy-authorization',
]);
const pool = new Pool(process.env.UPSTREAM, { connections: 256, pipelining: 1 });
const server = createServer((request, response) => {
  const headers = ['x-forwarded-for', request.socket.remoteAddress, 'via', '1.1 bench'];
  for (let index = 0; index < request.rawHeaders.length; index += 2) {
    if (!HOP_BY_HOP.has(request.rawHeaders[index].toLowerCase()))
      headers.push(request.rawHeaders[index], request.rawHeaders[index + 1]);
  }
  const body = request.method === 'GET' || request.method === 'HEAD' ? null : request;
  let resume = () => undefined;
  response.on('drain', () => resume());
  pool.dispatch(
    { path: request.url, method: request.method, headers, body },
    {
      onConnect: () => undefined,
      onHeaders(status, rawHeaders, resumeUpstream) {
        resume = resumeUpstream;
        const out = [
          'x-ratelimit-limit',
          '1',
          'x-ratelimit-remaining',
          '1',
          'x-ratelimit-reset',
          '1',
        ];
        for (let index = 0; index < rawHeaders.length; index += 2) {
          const name = rawHeaders[index].toString('latin1');
          if (!HOP_BY_HOP.has(name.toLowerCase()))
            out.push(name, rawHeaders[index + 1].toString('latin1'));
        }
        response.writeHead(status, out);
        return true;
      },
      onData: (chunk) => response.write(chunk),
      onComplete: () => response.end(),
      onError: () => {
        if (!response.headersSent) response.writeHead(502);
        response.end();
      },
    },
  );
});
server.listen(0, '127.0.0.1', () => process.send?.({ type: 'ready', port: server.address().port }));
process.on('disconnect', () => process.exit(0));
