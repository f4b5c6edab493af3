import { Resolver } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector, request } from 'undici';
import { isGlobalUnicast } from './global-address.ts';

/** A host that leads into a private network. */
export class PrivateAddress extends Error {
  constructor(host: string) {
    super(`${host} is not a public address`);
  }
}

/** All addresses of a name. */
export type ResolveHost = (name: string) => Promise<string[]>;

export interface GuardedFetchOptions {
  readonly allowPrivate: boolean;
  readonly userAgent: string;
  readonly resolveHost?: ResolveHost;
}

/** What a hop answered, as far as it matters. */
export interface Hop {
  readonly status: number;
  readonly location: string | undefined;
  /** The beginning of an HTML page; empty for everything else. */
  readonly html: string;
}

const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Fetches addresses that strangers name. What is judged is the address actually dialled, at the moment of dialling, so a name
 * that resolves differently the second time (DNS rebinding) gains nothing; and again once connected.
 */
export class GuardedFetch {
  private readonly connect: buildConnector.connector;

  constructor(private readonly options: GuardedFetchOptions) {
    const { allowPrivate, resolveHost = resolvePublicly() } = options;
    const connect = buildConnector({
      timeout: 3_000,
      lookup: guardedLookup(resolveHost, allowPrivate),
    });
    this.connect = (target, callback) =>
      connect(target, (error, socket) => {
        if (!socket) return callback(error ?? new Error('no connection'), null);
        if (allowPrivate || isGlobalUnicast(socket.remoteAddress ?? '')) callback(null, socket);
        else {
          socket.destroy();
          callback(new PrivateAddress(target.hostname), null);
        }
      });
  }

  /** One request, no redirect followed, no cookie, at most 1 MB. Rejects with PrivateAddress, or with what went wrong. */
  async fetchHop(url: URL, signal: AbortSignal): Promise<Hop> {
    // A literal address is dialled without a lookup.
    const literal = url.hostname.replace(/^\[|\]$/g, '');
    if (!this.options.allowPrivate && isIP(literal) && !isGlobalUnicast(literal))
      throw new PrivateAddress(literal);
    // One for each hop: no connection is inherited from a name that was judged earlier, and nothing is kept of any host.
    const agent = new Agent({ connect: this.connect, maxHeaderSize: 32 * 1024 });
    try {
      const response = await request(url, {
        dispatcher: agent,
        headers: {
          'user-agent': this.options.userAgent,
          accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
        },
        signal,
      });
      const { location, 'content-type': contentType } = response.headers;
      const isPage = /\bx?html\b/i.test(String(contentType ?? ''));
      const html = isPage ? await readBeginning(response.body) : '';
      response.body.on('error', () => undefined).destroy();
      return { status: response.statusCode, location: [location].flat()[0], html };
    } finally {
      void agent.destroy();
    }
  }
}

async function readBeginning(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= MAX_BODY_BYTES) break;
  }
  return Buffer.concat(chunks).subarray(0, MAX_BODY_BYTES).toString('latin1');
}

/**
 * Asks the name servers alone: getaddrinfo would try the search domains of a cluster, answer from the hosts file, and hold
 * one of the process's four worker threads for as long as a stranger's name server likes.
 */
function resolvePublicly(): ResolveHost {
  const resolver = new Resolver({ timeout: 2_000, tries: 1 });
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? answer.value : [],
    );
    const [failure] = answers.filter((answer) => answer.status === 'rejected');
    if (addresses.length === 0 && failure) throw failure.reason;
    return addresses;
  };
}

/** One private address among public ones is enough to refuse: the caller may dial any of them. */
function guardedLookup(resolveHost: ResolveHost, allowPrivate: boolean): LookupFunction {
  return (hostname, options, callback) => {
    resolveHost(hostname).then(
      (addresses) => {
        const isRefused = !allowPrivate && !addresses.every(isGlobalUnicast);
        if (isRefused) return callback(new PrivateAddress(hostname), []);
        const found = addresses.map((address) => ({ address, family: isIP(address) }));
        const [first] = found;
        if (!first) return callback(new Error(`${hostname} has no address`), []);
        if (options.all) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}
