import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { ReputationCheck } from './reputation-check.ts';
import type { LineReader } from './watched-files.ts';

const REASON = 'The destination is on a list of dangerous addresses.';
/** 4 to 32 bytes, as the feeds have them. */
const PREFIX = /^[0-9a-f]{8,64}$/i;

/**
 * Looks addresses up in a local file of SHA-256 prefixes, one in hex a line. What is hashed are the expressions of the Safe
 * Browsing protocols: the host and its parent domains, each with the path, its parents, and with and without the query.
 */
export class HashPrefixReputationCheck extends ReputationCheck {
  /** Prefixes by their length in hex digits. */
  private prefixes = new Map<number, Set<string>>();

  /** Prefixes of the file come in through this. */
  readerOf(path: string): LineReader {
    return {
      variable: 'REPUTATION_HASHES_FILE',
      paths: [path],
      begin: () => {
        const prefixes = new Map<number, Set<string>>();
        let entries = 0;
        return {
          addLine: (line) => {
            const text = line.replace(/#.*$/, '').trim().toLowerCase();
            if (text === '') return true;
            if (!PREFIX.test(text)) return false;
            const sameLength = prefixes.get(text.length) ?? new Set();
            prefixes.set(text.length, sameLength.add(text));
            entries += 1;
            return true;
          },
          finish: () => {
            this.prefixes = prefixes;
            return entries;
          },
        };
      },
    };
  }

  async check(url: URL): Promise<string | undefined> {
    if (this.prefixes.size === 0) return undefined;
    for (const expression of expressionsOf(url)) {
      const hash = createHash('sha256').update(expression).digest('hex');
      for (const [length, prefixes] of this.prefixes)
        if (prefixes.has(hash.slice(0, length))) return REASON;
    }
    return undefined;
  }
}

/** Host by host, path by path, the most particular first; at most 5 × 6. */
export function expressionsOf(url: URL): string[] {
  return hostsOf(url.hostname.replace(/\.$/, '')).flatMap((host) =>
    pathsOf(url).map((path) => host + path),
  );
}

/** The host itself, and up to four domains above it out of its last five labels, never the top-level domain alone. */
function hostsOf(host: string): string[] {
  if (isIPv4(host) || host.startsWith('[')) return [host];
  const labels = host.split('.');
  const hosts = [host];
  for (let count = Math.min(5, labels.length - 1); count >= 2; count--)
    hosts.push(labels.slice(-count).join('.'));
  return hosts;
}

/** With query, without, and up to four folders from the root on. */
function pathsOf({ pathname, search }: URL): string[] {
  const folders = pathname.split('/').slice(1, -1);
  const paths = new Set([pathname + search, pathname]);
  for (let depth = 0; depth <= Math.min(3, folders.length); depth++)
    paths.add(
      `/${folders
        .slice(0, depth)
        .map((folder) => `${folder}/`)
        .join('')}`,
    );
  return [...paths];
}
