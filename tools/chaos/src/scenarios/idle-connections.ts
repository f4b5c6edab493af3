import { setTimeout as wait } from 'node:timers/promises';
import { Bystanders } from '../actors/bystanders.ts';
import { startGateway, writeLimits } from '../actors/gateway.ts';
import { RawConnection } from '../actors/raw-connection.ts';
import { openUpstream } from '../actors/upstream.ts';
import { openFilesLimit, residentMegabytes } from '../memory.ts';
import type { Scenario } from '../scenario.ts';

const WANTED = 10_000;
/** Files that the gateway, and this process, have open besides. */
const RESERVE = 1_000;
const AT_ONCE = 50;
const CALM_MS = 3_000;
const HELD_MS = 4_000;
const KILOBYTES_EACH = 40;
const QUESTION = 'GET /page HTTP/1.1\r\nHost: links.example\r\n\r\n';

export const idleConnections: Scenario = {
  name: 'idle-connections',
  promise: `${WANTED.toLocaleString('en')} clients that keep their connection and say nothing cost the others no answer, and the gateway at most ${KILOBYTES_EACH} KB each.`,
  needs: [],
  async run(stage) {
    const count = Math.min(WANTED, openFilesLimit() - RESERVE);
    if (count < WANTED) stage.say(`the limit of open files permits ${count} connections`);
    const gateway = await startGateway(stage, {
      name: 'gateway',
      upstream: await openUpstream(stage),
      redisUrl: undefined,
      limits: writeLimits(stage),
    });
    const bystanders = new Bystanders(stage, `${gateway.url}/page`);
    await wait(1_000);
    const calmMs = performance.now();
    await wait(CALM_MS);
    const openingMs = performance.now();
    const memory = residentMegabytes(gateway.pid);

    const connections: RawConnection[] = [];
    stage.onEnd(() => {
      for (const connection of connections) connection.destroy();
    });
    let unanswered = 0;
    while (connections.length < count) {
      const opened = await Promise.all(
        Array.from({ length: Math.min(AT_ONCE, count - connections.length) }, async () => {
          const connection = await RawConnection.open(gateway.port);
          connection.say(QUESTION);
          if ((await connection.status(10_000)) !== 200) unanswered++;
          return connection;
        }),
      );
      connections.push(...opened);
    }
    stage.say(`${connections.length} connections are open`);
    const heldMs = performance.now();
    await wait(HELD_MS);
    const endMs = performance.now();
    const dropped = connections.filter(({ isClosed }) => isClosed).length;
    const grown = residentMegabytes(gateway.pid) - memory;
    for (const connection of connections) connection.destroy();
    await wait(500);
    await bystanders.stop();

    const kilobytes = (grown * 1024) / count;
    return {
      observed: `${count} connections, ${kilobytes.toFixed(1)} KB each; p99 of the others ${bystanders.p99(heldMs, endMs).toFixed(1)} ms (${bystanders.p99(calmMs, openingMs).toFixed(1)} ms before)`,
      faults: [
        ...(unanswered === 0 ? [] : [`${unanswered} were not answered when they came`]),
        ...(dropped === 0 ? [] : [`${dropped} were closed`]),
        ...(kilobytes <= KILOBYTES_EACH ? [] : [`a connection costs ${kilobytes.toFixed(1)} KB`]),
        ...bystanders.judge([calmMs, openingMs], [heldMs, endMs]),
      ],
    };
  },
};
