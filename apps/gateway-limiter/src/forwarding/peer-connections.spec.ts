import { until } from '@gatepost/test-services';
import type { Client } from 'undici';
import { openUpstream } from '../testing/upstream.ts';
import { type Borrower, PeerConnections } from './peer-connections.ts';
import { routing } from './routes.ts';

const request = { method: 'GET', path: '/' } as const;

/** Borrows for one request, and can say when it is over. */
function borrow(connections: PeerConnections, isFresh = false) {
  let done: (client: Client) => void = () => undefined;
  const over = new Promise<Client>((resolve) => {
    done = resolve;
  });
  const borrower: Borrower = {
    connection: undefined,
    onConnect: () => undefined,
    onHeaders: () => true,
    onData: () => true,
    onComplete: () => finish(true),
    onError: () => finish(false),
  };
  const finish = (isClean: boolean) => {
    const client = borrower.connection as Client;
    connections.giveBack(client, isClean);
    done(client);
  };
  if (isFresh) connections.dispatchFresh(request, borrower);
  else connections.dispatch(request, borrower);
  return over;
}

function open(origin: string, most = 10) {
  const { pools } = routing.parse({
    pools: { only: { peers: [origin], connections: most } },
    routes: [{ name: 'only', pool: 'only' }],
  });
  return new PeerConnections(origin, pools['only'] as (typeof pools)[string]);
}

describe('the connections to a peer', () => {
  it('are used again, the last one first', async () => {
    const upstream = await openUpstream();
    const connections = open(upstream.origin);
    const [first, second] = await Promise.all([borrow(connections), borrow(connections)]);
    expect(first).not.toBe(second);
    const third = await borrow(connections);
    const fourth = await borrow(connections);
    expect([third === fourth, connections.count, upstream.connections]).toEqual([true, 2, 2]);
    await connections.destroy();
    await upstream.close();
  });

  it('are as many as allowed; further requests wait their turn', async () => {
    const upstream = await openUpstream();
    const connections = open(upstream.origin, 2);
    await Promise.all(Array.from({ length: 20 }, () => borrow(connections)));
    expect([upstream.seen.length, upstream.connections]).toEqual([20, 2]);
    await connections.destroy();
    await upstream.close();
  });

  it('are forgotten when the peer ends them', async () => {
    const upstream = await openUpstream();
    const connections = open(upstream.origin);
    await borrow(connections);
    upstream.server.closeIdleConnections();
    await until(() => connections.count === 0);
    await borrow(connections);
    expect(upstream.connections).toBe(2);
    await connections.destroy();
    await upstream.close();
  });

  it('are forgotten when a request on them failed', async () => {
    const connections = open('http://127.0.0.1:1');
    await borrow(connections);
    expect(connections.count).toBe(0);
    await connections.destroy();
  });

  it('can be had fresh', async () => {
    const upstream = await openUpstream();
    const connections = open(upstream.origin);
    const first = await borrow(connections);
    expect(await borrow(connections, true)).not.toBe(first);
    await connections.destroy();
    await upstream.close();
  });

  it('end once what is under way is done', async () => {
    let finish: () => void = () => undefined;
    const upstream = await openUpstream((_request, response) => {
      finish = () => response.end('ok');
    });
    const connections = open(upstream.origin, 1);
    const [first, second] = [borrow(connections), borrow(connections)];
    await until(() => upstream.seen.length === 1);
    connections.close();
    finish();
    await until(() => upstream.seen.length === 2);
    finish();
    await Promise.all([first, second]);
    expect(connections.count).toBe(0);
    await upstream.close();
  });
});
