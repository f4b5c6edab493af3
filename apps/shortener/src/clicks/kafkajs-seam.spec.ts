import { createRequire } from 'node:module';
import './kafkajs-seam.ts';

const require = createRequire(import.meta.url);
const RequestQueue = require('kafkajs/src/network/requestQueue/index.js');
const { version } = require('kafkajs/package.json');

describe('the seam to kafkajs', () => {
  it('fits the release it was written for', () => {
    expect(version).toBe('2.2.4');
  });

  it('leaves a queue without a timer when nothing waits in it: no negative delays', () => {
    const queue = new RequestQueue({
      maxInFlightRequests: null,
      requestTimeout: 1_000,
      enforceRequestTimeout: false,
      clientId: 'spec',
      broker: 'spec:9092',
      logger: { debug: () => undefined },
    });
    queue.checkPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
    queue.destroy();
  });

  it('lets a throttled queue go on when the throttle ends', async () => {
    const queue = new RequestQueue({
      maxInFlightRequests: null,
      requestTimeout: 1_000,
      enforceRequestTimeout: false,
      clientId: 'spec',
      broker: 'spec:9092',
      logger: { debug: () => undefined },
    });
    queue.maybeThrottle(30);
    const sent = new Promise<void>((resolve) => {
      queue.push({
        entry: { correlationId: 1 },
        expectResponse: true,
        sendRequest: () => resolve(),
      });
    });
    const began = Date.now();
    await sent;
    expect(Date.now() - began).toBeGreaterThanOrEqual(25);
    queue.destroy();
  });
});
