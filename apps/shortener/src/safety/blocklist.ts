import { createHash } from 'node:crypto';
import type { LineReader } from './watched-files.ts';

/** What one or more blocklist files say. */
export interface BlocklistEntries {
  /** Hosts, exactly. */
  readonly hosts: Set<string>;
  /** Domains with all their subdomains. */
  readonly domains: Set<string>;
  /** SHA-256 of serialised URLs without fragment, in hex. */
  readonly urlHashes: Set<string>;
}

export function emptyEntries(): BlocklistEntries {
  return { hosts: new Set(), domains: new Set(), urlHashes: new Set() };
}

/**
 * Takes one line of a blocklist into `entries`. The formats of the public lists are understood:
 * `host`, `.domain`, `*.domain`, `||domain^` (filter lists), `0.0.0.0 host` (hosts files), `https://…` (URL lists), and the
 * SHA-256 of a URL. False for a line that says something else.
 */
export function addLine(entries: BlocklistEntries, line: string): boolean {
  const text = line.replace(/(^|\s)[#!].*$/, '').trim();
  if (text === '') return true;
  if (/^(sha256:)?[0-9a-f]{64}$/i.test(text)) {
    entries.urlHashes.add(text.slice(-64).toLowerCase());
    return true;
  }
  if (/^https?:\/\//i.test(text)) {
    if (!URL.canParse(text)) return false;
    entries.urlHashes.add(hashUrl(new URL(text)));
    return true;
  }
  const [, prefix = '', name = ''] =
    /^(\|\||\*\.|\.|(?:0\.0\.0\.0|127\.0\.0\.1|::1?)\s+)?([^\s^/|*]+)\^?$/.exec(text) ?? [];
  const host = toHost(name);
  if (host === undefined) return false;
  const isDomain = prefix === '||' || prefix === '*.' || prefix === '.';
  (isDomain ? entries.domains : entries.hosts).add(host);
  return true;
}

/** A name as WHATWG serialises hosts, so that `EXÄMPLE.com` in a list and `xn--…` in a link are one. */
function toHost(name: string): string | undefined {
  if (name === '' || !URL.canParse(`http://${name}/`)) return undefined;
  return nameOf(new URL(`http://${name}/`).hostname);
}

function nameOf(hostname: string): string {
  return hostname.replace(/\.$/, '');
}

/** SHA-256 of the serialised URL without its fragment, which no server ever sees. */
export function hashUrl(url: URL): string {
  const { href, hash } = url;
  const withoutFragment = href.slice(0, href.length - (hash === '' ? 0 : hash.length));
  return createHash('sha256').update(withoutFragment.replace(/#$/, '')).digest('hex');
}

/** The blocklist in force. Judged on every redirect, not only on creation: a new entry stops links that exist already. */
export class Blocklist {
  private entries = emptyEntries();
  private currentEdition = 0;

  /** Grows with each reload; an answer given under an older edition has to be asked again. */
  get edition(): number {
    return this.currentEdition;
  }

  get size(): number {
    const { hosts, domains, urlHashes } = this.entries;
    return hosts.size + domains.size + urlHashes.size;
  }

  replace(entries: BlocklistEntries): void {
    this.entries = entries;
    this.currentEdition += 1;
  }

  /** Why a destination, a serialised URL, is refused; undefined when it is not. */
  find(longUrl: string): string | undefined {
    if (this.size === 0) return undefined;
    const url = URL.parse(longUrl);
    if (!url) return undefined;
    const host = nameOf(url.hostname);
    const { hosts, domains, urlHashes } = this.entries;
    if (hosts.has(host) || hasDomain(domains, host)) return `The site ${host} is on a blocklist.`;
    if (urlHashes.size > 0 && urlHashes.has(hashUrl(url)))
      return 'The destination is on a blocklist.';
    return undefined;
  }
}

/** Lets the lines of some files become the blocklist in force. */
export function blocklistReader(blocklist: Blocklist, paths: readonly string[]): LineReader {
  return {
    variable: 'BLOCKLIST_FILES',
    paths,
    begin: () => {
      const entries = emptyEntries();
      return {
        addLine: (line) => addLine(entries, line),
        finish: () => {
          blocklist.replace(entries);
          return blocklist.size;
        },
      };
    },
  };
}

/** Whether the host or one of the domains above it is in the set. */
function hasDomain(domains: Set<string>, host: string): boolean {
  if (domains.size === 0) return false;
  for (let name = host; ; name = name.slice(name.indexOf('.') + 1)) {
    if (domains.has(name)) return true;
    if (!name.includes('.')) return false;
  }
}
