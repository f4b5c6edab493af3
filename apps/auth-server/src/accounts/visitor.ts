import { isIPv4, isIPv6 } from 'node:net';

/** The browser that a request came from. */
export interface Visitor {
  /** Client address as the trusted proxies report it. */
  readonly address: string;
  readonly userAgent: string;
  /** Value of the known-browser cookie. */
  readonly browserCookie: string | undefined;
}

/**
 * The address as failures are counted for it: an IPv6 subscriber has a whole /64 to choose from, and an IPv4 address
 * may come dressed as IPv6.
 */
export function toCountedAddress(address: string): string {
  const bare = address.replace(/%.*$/, '').toLowerCase();
  if (isIPv4(bare) || !isIPv6(bare)) return bare;
  const groups = toGroups(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    const [high = 0, low = 0] = groups.slice(6);
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address. */
function toGroups(address: string): number[] {
  const [, lead = address, dotted] = /^(.*:)(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? [];
  const tail = dotted ? toTwoGroups(dotted) : [];
  const text = dotted ? lead.replace(/([^:]):$/, '$1') : lead;
  const [head = '', rest] = text.split('::');
  const left = parse(head);
  if (rest === undefined) return [...left, ...tail];
  const right = [...parse(rest), ...tail];
  return [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
}

function parse(text: string): number[] {
  return text
    .split(':')
    .filter(Boolean)
    .map((group) => Number.parseInt(group, 16));
}

function toTwoGroups(dotted: string): number[] {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

/** A browser in words its owner recognises, such as "Firefox on Linux". */
export function describeBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([mark]) => mark.test(userAgent))?.[1];
  const system = SYSTEMS.find(([mark]) => mark.test(userAgent))?.[1];
  if (browser && system) return `${browser} on ${system}`;
  return browser ?? (system ? `A browser on ${system}` : 'Unknown browser');
}

/** In this order: most browsers name their ancestors as well. */
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
  [/^curl\//, 'curl'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\b(Macintosh|Mac OS X)\b/, 'macOS'],
  [/\b(Linux|X11)\b/, 'Linux'],
];
