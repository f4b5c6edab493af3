import { setTimeout as wait } from 'node:timers/promises';
import { Bystanders } from '../actors/bystanders.ts';
import { startGateway, writeLimits } from '../actors/gateway.ts';
import { RawConnection } from '../actors/raw-connection.ts';
import { openUpstream } from '../actors/upstream.ts';
import { History } from '../history.ts';
import { residentMegabytes } from '../memory.ts';
import { OpenLoop } from '../open-loop.ts';
import type { Scenario } from '../scenario.ts';

const HOST = 'Host: links.example\r\n';
interface Malformed {
  readonly what: string;
  readonly bytes: string;
  readonly status: number;
  /** Nobody can tell where the next request would begin: the connection has to end. */
  readonly isEnd: boolean;
}

const MALFORMED: readonly Malformed[] = [
  broken('noise', '\xff\x00\x13\x37'.repeat(16)),
  broken('TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  broken('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  broken(
    'a length and chunks',
    `POST /a HTTP/1.1\r\n${HOST}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ),
  broken(
    'a chunk without a size',
    `POST /a HTTP/1.1\r\n${HOST}Transfer-Encoding: chunked\r\n\r\nnone\r\n`,
  ),
  broken('a control character', `GET /a HTTP/1.1\r\n${HOST}X: a\x01b\r\n\r\n`),
  broken('a huge head', `GET /a HTTP/1.1\r\n${HOST}X: ${'x'.repeat(30_000)}\r\n\r\n`, 431),
  broken('half a head', `GET /a HTTP/1.1\r\n${HOST}X: `, 408),
  strange('no Host', 'GET /a HTTP/1.1\r\n\r\n'),
  strange('two Hosts', `GET /a HTTP/1.1\r\n${HOST}${HOST}\r\n`),
  strange('an unknown method', `BREW /pot HTTP/1.1\r\n${HOST}\r\n`, 501),
  strange('dot segments', `GET /a/../../b HTTP/1.1\r\n${HOST}\r\n`),
  strange('a percent sign alone', `GET /%zz HTTP/1.1\r\n${HOST}\r\n`),
  strange('a huge target', `GET /${'a'.repeat(9_000)} HTTP/1.1\r\n${HOST}\r\n`, 414),
];
const PER_SECOND = 250;
const CALM_MS = 3_000;
const FLOOD_MS = 8_000;
const HEADER_TIMEOUT_MS = 2_000;
/** For an answer to half a head: Node looks at its connections from time to time. */
const ANSWER_MS = HEADER_TIMEOUT_MS + 8_000;
const MOST_MEGABYTES = 100;

export const malformedFlood: Scenario = {
  name: 'malformed-flood',
  promise:
    'A flood of malformed and half requests is refused with the statuses that they deserve, its connections are ended in bounded time, and the others are served as before.',
  needs: [],
  async run(stage) {
    const gateway = await startGateway(stage, {
      name: 'gateway',
      upstream: await openUpstream(stage),
      redisUrl: undefined,
      limits: writeLimits(stage),
      env: { HEADER_TIMEOUT_MS: String(HEADER_TIMEOUT_MS) },
    });
    const bystanders = new Bystanders(stage, `${gateway.url}/page`);
    await wait(1_000);
    const calmMs = performance.now();
    await wait(CALM_MS);
    const floodMs = performance.now();
    const memory = residentMegabytes(gateway.pid);
    const history = new History<string, number>();
    let leftOpen = 0;
    const flood = new OpenLoop(PER_SECOND, async (number) => {
      const { what, bytes, isEnd } = MALFORMED[number % MALFORMED.length] as Malformed;
      await history.record(what, async () => {
        const connection = await RawConnection.open(gateway.port);
        connection.say(bytes);
        const status = await connection.status(ANSWER_MS);
        if (isEnd && !(await connection.closes(ANSWER_MS))) leftOpen++;
        connection.destroy();
        return status;
      });
    });
    stage.onEnd(() => flood.stop());
    await wait(FLOOD_MS);
    const endMs = performance.now();
    await flood.stop();
    const grown = residentMegabytes(gateway.pid) - memory;
    await bystanders.stop();

    const { operations } = history;
    const wrong = MALFORMED.flatMap(({ what, status }) => {
      const others = operations.filter(({ call, outcome }) => call === what && outcome !== status);
      const seen = [...new Set(others.map(({ outcome }) => outcome || 'nothing'))];
      return others.length === 0
        ? []
        : [`${what}: ${others.length} answered ${seen.join(', ')} instead of ${status}`];
    });
    return {
      observed: `${operations.length} malformed requests; p99 of the others ${bystanders.p99(floodMs, endMs).toFixed(1)} ms (${bystanders.p99(calmMs, floodMs).toFixed(1)} ms before); memory grew by ${grown.toFixed(0)} MB`,
      faults: [
        ...wrong,
        ...(leftOpen === 0 ? [] : [`${leftOpen} connections were left open`]),
        ...(grown <= MOST_MEGABYTES ? [] : [`memory grew by ${grown.toFixed(0)} MB`]),
        ...bystanders.judge([calmMs, floodMs], [floodMs, endMs]),
      ],
    };
  },
};

function broken(what: string, bytes: string, status = 400): Malformed {
  return { what, bytes, status, isEnd: true };
}

function strange(what: string, bytes: string, status = 400): Malformed {
  return { what, bytes, status, isEnd: false };
}
