import { hostFault } from '../links/destination.ts';
import { type Hop, PrivateAddress } from './guarded-fetch.ts';
import type { ReputationCheck } from './reputation-check.ts';

export type Verdict =
  | { readonly kind: 'clean' }
  /** `reason` is a sentence for the visitor. */
  | { readonly kind: 'bad'; readonly reason: string }
  /** The destination could not be reached or judged: ask again later. */
  | { readonly kind: 'inconclusive'; readonly cause: unknown };

export interface ScanTools {
  readonly fetchHop: (url: URL, signal: AbortSignal) => Promise<Hop>;
  readonly findOnBlocklist: (url: string) => string | undefined;
  readonly reputationChecks: readonly ReputationCheck[];
  readonly allowPrivate: boolean;
  /** Whether an address is this service's own: another link, with a scan of its own. */
  readonly isOwnAddress: (url: URL) => boolean;
}

const MAX_REDIRECTS = 5;
const PRIVATE = 'The destination leads into a private network.';

/** Follows a destination as a visitor's browser would, and judges every hop before it is asked anything. */
export async function scanDestination(
  longUrl: string,
  tools: ScanTools,
  signal: AbortSignal,
): Promise<Verdict> {
  let url: URL | undefined = new URL(longUrl);
  let doubt: unknown;
  for (let redirects = 0; url && redirects <= MAX_REDIRECTS; redirects++) {
    if (!/^https?:$/.test(url.protocol) || tools.isOwnAddress(url)) break;
    const judged = await judgeHop(url, tools, signal);
    if (judged.reason !== undefined) return { kind: 'bad', reason: judged.reason };
    doubt ??= judged.doubt;
    if (!isWebPort(url)) break;
    try {
      url = nextHop(url, await tools.fetchHop(url, signal));
    } catch (error) {
      if (isPrivateAddress(error)) return { kind: 'bad', reason: PRIVATE };
      return { kind: 'inconclusive', cause: error };
    }
  }
  return doubt === undefined ? { kind: 'clean' } : { kind: 'inconclusive', cause: doubt };
}

/** `doubt`: a check that could not tell. */
async function judgeHop(
  url: URL,
  tools: ScanTools,
  signal: AbortSignal,
): Promise<{ reason?: string; doubt?: unknown }> {
  const listed = tools.findOnBlocklist(url.href);
  if (listed) return { reason: listed };
  if (!tools.allowPrivate && hostFault(url.hostname)) return { reason: PRIVATE };
  const answers = await Promise.allSettled(
    tools.reputationChecks.map((check) => check.check(url, signal)),
  );
  for (const answer of answers)
    if (answer.status === 'fulfilled' && answer.value !== undefined)
      return { reason: answer.value };
  const failure = answers.find((answer) => answer.status === 'rejected');
  return failure ? { doubt: failure.reason ?? new Error('a reputation check failed') } : {};
}

/** Requests to well-known ports of other protocols would make a tool of the scanner. */
function isWebPort({ port }: URL): boolean {
  return port === '' || port === '80' || port === '443' || Number(port) >= 1_024;
}

/** undici wraps what its connector threw. */
function isPrivateAddress(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof PrivateAddress) return true;
  return false;
}

function nextHop(url: URL, hop: Hop): URL | undefined {
  const isRedirect = hop.status >= 300 && hop.status < 400;
  const target = isRedirect ? hop.location : metaRefreshOf(hop.html);
  if (!target || !URL.canParse(target, url.href)) return undefined;
  return new URL(target, url);
}

/** Longest tag that is looked into; a page of strangers decides how long the loop runs, so it has to be linear. */
const MAX_TAG_LENGTH = 4_096;

/** `<meta http-equiv="refresh" content="0; url=…">`: a redirect that a browser follows without asking. */
function metaRefreshOf(html: string): string | undefined {
  const lower = html.toLowerCase();
  for (let start = lower.indexOf('<meta'); start >= 0; ) {
    const end = lower.indexOf('>', start);
    if (end < 0) return undefined;
    const tag = html.slice(start, Math.min(end, start + MAX_TAG_LENGTH));
    if (/http-equiv\s*=\s*["']?refresh/i.test(tag)) {
      const [, target] = /\burl\s*=\s*["']?([^"'\s]+)/i.exec(tag) ?? [];
      if (target) return target.replaceAll('&amp;', '&');
    }
    start = lower.indexOf('<meta', end);
  }
  return undefined;
}
