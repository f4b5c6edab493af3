import 'reflect-metadata';
import { Agent, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { createApp } from './create-app.ts';
import { createLogger } from './logger.ts';
import { Readiness } from './readiness.ts';

@Module({})
class EmptyModule {}

describe('an app that closes', () => {
  it('answers a request that comes on an open connection, and closes the connection', async () => {
    let endClosing = (): void => undefined;
    const isHeld = new Promise<void>((resolve) => {
      endClosing = resolve;
    });
    let hasBegun = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    const app = await createApp({
      module: EmptyModule,
      logger: createLogger({ name: 'spec', level: 'silent' }),
      readiness: new Readiness(),
      trustedProxies: [],
      prepare: (fastify) => {
        fastify.get('/page', async () => 'a page');
        // Fastify takes itself for closing from here on, with connections still open.
        fastify.addHook('preClose', async () => {
          hasBegun();
          await isHeld;
        });
      },
    });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        const asked = request({ host: '127.0.0.1', port, path: '/page', agent }, (answer) =>
          answer.resume().once('end', () => resolve(answer)),
        );
        asked.once('error', reject).end();
      });
    const before = await ask();
    const closed = app.close();
    await begun;
    const late = await ask();
    endClosing();
    await closed;
    agent.destroy();
    expect([before.statusCode, before.headers.connection]).toEqual([200, 'keep-alive']);
    expect([late.statusCode, late.headers.connection]).toEqual([200, 'close']);
  });
});
