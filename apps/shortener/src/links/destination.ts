import { isIPv4 } from 'node:net';
import { isGlobalUnicast } from '../safety/global-address.ts';

/** Longest serialised destination, in characters; the serialised form is ASCII. */
export const MAX_LONG_URL_LENGTH = 2_048;

/** Names that resolve inside a network or a machine (RFC 6761, 6762, 8375, and ICANN's `internal`). */
const LOCAL_SUFFIXES = ['localhost', 'local', 'internal', 'home.arpa'];

export interface DestinationRules {
  /** Our own public address: a link to a link would be a loop. */
  readonly publicUrl: string;
  /** Lifts the rules for addresses and local names. */
  readonly allowPrivate: boolean;
}

export type Destination =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly fault: string };

/**
 * Judges what somebody wants to be redirected to. `url.href` is the form to measure, store, show and send.
 * The order matters: the WHATWG parser silently drops tabs and line breaks and trims blanks, so two different inputs would
 * become one link, and a filter before us would have seen another URL than the browser after us.
 */
export function parseDestination(text: string, rules: DestinationRules): Destination {
  if (!/^https?:\/\//i.test(text)) return refused('must begin with http:// or https://');
  if (hasBlankOrControl(text)) return refused('must not hold blanks or control characters');
  const url = URL.parse(text);
  if (!url) return refused('is not a valid URL');
  if (url.username !== '' || url.password !== '') return refused('must not hold credentials');
  if (url.href.length > MAX_LONG_URL_LENGTH)
    return refused(`must be at most ${MAX_LONG_URL_LENGTH} characters long once serialised`);
  if (isOwnAddress(url, rules.publicUrl)) return refused('must not point to this service itself');
  if (!rules.allowPrivate) {
    const fault = hostFault(url.hostname);
    if (fault) return refused(fault);
  }
  return { ok: true, url };
}

function refused(fault: string): Destination {
  return { ok: false, fault };
}

/** Whether any character is U+0020 or below. */
function hasBlankOrControl(text: string): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) <= 0x20) return true;
  return false;
}

/** What is wrong with a host as WHATWG serialises it: lower case, IPv4 in dotted decimals, IPv6 in brackets. */
export function hostFault(hostname: string): string | undefined {
  if (hostname.startsWith('['))
    return isGlobalUnicast(hostname.slice(1, -1)) ? undefined : 'must point to a public address';
  if (isIPv4(hostname))
    return isGlobalUnicast(hostname) ? undefined : 'must point to a public address';
  const labels = hostname.replace(/\.$/, '').split('.');
  if (labels.length < 2 || labels.includes(''))
    return 'must name a host with a domain, like example.com';
  const name = labels.join('.');
  if (LOCAL_SUFFIXES.some((suffix) => name === suffix || name.endsWith(`.${suffix}`)))
    return 'must not name a host of a local network';
  return undefined;
}

/** The default ports count as ours together: the plain one usually redirects to the other. */
export function isOwnAddress(url: URL, publicUrl: string): boolean {
  const own = new URL(publicUrl);
  if (nameOf(url) !== nameOf(own)) return false;
  return portOf(url) === portOf(own) || (url.port === '' && own.port === '');
}

function nameOf(url: URL): string {
  return url.hostname.replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): string {
  return port || (protocol === 'https:' ? '443' : '80');
}
