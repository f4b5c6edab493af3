import type { IncomingMessage } from 'node:http';
import { createLogger } from './logger.ts';
import { createRequestLogger } from './request-logger.ts';

describe('the log', () => {
  it('holds none of the planted secrets', () => {
    let written = '';
    const logger = createLogger({
      name: 'test',
      level: 'trace',
      destination: { write: (line: string) => (written += line) } as never,
    });
    logger.info(
      {
        headers: {
          authorization: 'Bearer canary-1',
          cookie: 'canary-2',
          'x-api-key': 'canary-3',
          dpop: 'canary-4',
        },
      },
      'request',
    );
    logger.info(
      {
        req: { headers: { authorization: 'canary-5' } },
        password: 'canary-6',
        form: { password: 'canary-7', client_secret: 'canary-8' },
      },
      'form',
    );
    logger.info(
      {
        tokens: { access_token: 'canary-9', refresh_token: 'canary-10', id_token: 'canary-11' },
        body: { code: 'canary-12', code_verifier: 'canary-13' },
      },
      'tokens',
    );
    expect(written.match(/canary-\d+/g)).toBeNull();
    expect(written.split('(hidden)').length - 1).toBe(13);
  });

  it('keeps the short code of a link', () => {
    let written = '';
    createLogger({
      name: 'test',
      level: 'trace',
      destination: { write: (line: string) => (written += line) } as never,
    }).info({ code: 'abc1234' }, 'created');
    expect(JSON.parse(written)).toMatchObject({
      level: 'info',
      service: 'test',
      code: 'abc1234',
      msg: 'created',
    });
  });
});

describe('the log of a request', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

  it('names the request and its trace on each line, and hides what the parent hides', () => {
    const lines: string[] = [];
    const parent = createLogger({
      name: 'test',
      level: 'info',
      destination: { write: (line: string) => lines.push(line) } as never,
    });
    const log = createRequestLogger(parent, { requestId: 'request-1' }, {}, {
      headers: { traceparent },
    } as unknown as IncomingMessage);
    log.debug('not written');
    log.warn({ password: 'canary' }, 'one');
    log.child({ room: 'links' }).error('two');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        requestId: 'request-1',
        traceId: '0af7651916cd43dd8448eb211c80319c',
        password: '(hidden)',
        msg: 'one',
      }),
      expect.objectContaining({ requestId: 'request-1', room: 'links', msg: 'two' }),
    ]);
  });
});
