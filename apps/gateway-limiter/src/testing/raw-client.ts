import { connect, type Socket } from 'node:net';

/** One answer, taken from the bytes by hand so that no library smooths anything over. */
export interface RawAnswer {
  readonly status: number;
  readonly version: string;
  readonly reason: string;
  /** Lower-case names; several fields of one name joined by ", ". */
  readonly fields: Readonly<Record<string, string>>;
  readonly names: readonly string[];
  readonly body: string;
}

/** A bare connection to the door. */
export class RawClient {
  received = '';
  /** Both directions are over. */
  isClosed = false;
  hasEnded = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1').on('data', (data) => {
      this.received += data;
    });
    socket.on('end', () => {
      this.hasEnded = true;
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.isClosed = true;
    });
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await new Promise<void>((resolve, reject) =>
      socket.once('connect', resolve).once('error', reject),
    );
    return new RawClient(socket);
  }

  send(text: string): void {
    this.socket.write(Buffer.from(text, 'latin1'));
  }

  /** Waits until `until` holds; fails with what has been received when it does not in time. */
  async wait(until: (client: RawClient) => boolean, limitMs = 3_000): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!until(this)) {
      if (performance.now() > deadline)
        throw new Error(`not in time; received: ${JSON.stringify(this.received.slice(0, 2_000))}`);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** The first answer, once it is whole. */
  async answer(limitMs?: number): Promise<RawAnswer> {
    await this.wait(
      (client) => splitAnswer(client.received, client.hasEnded) !== undefined,
      limitMs,
    );
    const [answer, rest] = splitAnswer(this.received, this.hasEnded) as [RawAnswer, string];
    this.received = rest;
    return answer;
  }

  close(): void {
    this.socket.destroy();
  }
}

/** Opens, sends, gives the first answer and the open client. */
export async function exchange(
  port: number,
  text: string,
): Promise<{ answer: RawAnswer; client: RawClient }> {
  const client = await RawClient.open(port);
  client.send(text);
  return { answer: await client.answer(), client };
}

function splitAnswer(bytes: string, hasEnded: boolean): [RawAnswer, string] | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.slice(0, headEnd).split('\r\n');
  const [, version = '', status = '', reason = ''] =
    /^HTTP\/(\d\.\d) (\d{3}) ?(.*)$/.exec(statusLine) ?? [];
  const fields: Record<string, string> = {};
  const names: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    names.push(name);
    fields[name] = name in fields ? `${fields[name]}, ${value}` : value;
  }
  const rest = bytes.slice(headEnd + 4);
  const head = { status: Number(status), version, reason, fields, names };
  if (head.status < 200 || head.status === 204 || head.status === 304)
    return [{ ...head, body: '' }, rest];
  if (fields['transfer-encoding'] === 'chunked') {
    const end = rest.search(/(?:^|\r\n)0\r\n(?:[^\r\n]+\r\n)*\r\n/);
    if (end < 0) return undefined;
    const whole = /(?:^|\r\n)0\r\n((?:[^\r\n]+\r\n)*)\r\n/.exec(rest.slice(end)) as RegExpExecArray;
    return [{ ...head, body: dechunk(rest) }, rest.slice(end + whole[0].length)];
  }
  const length = fields['content-length'];
  if (length !== undefined) {
    if (rest.length < Number(length)) return undefined;
    return [{ ...head, body: rest.slice(0, Number(length)) }, rest.slice(Number(length))];
  }
  return hasEnded ? [{ ...head, body: rest }, ''] : undefined;
}

function dechunk(bytes: string): string {
  let body = '';
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.slice(at, lineEnd), 16);
    if (!(size > 0)) return body;
    body += bytes.slice(lineEnd + 2, lineEnd + 2 + size);
    at = lineEnd + 2 + size + 2;
  }
}
