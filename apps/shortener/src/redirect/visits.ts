import type { IncomingMessage } from 'node:http';
import { isClick } from '../clicks/click.ts';
import type { ClickSink } from '../clicks/click-sink.ts';
import type { DestinationScanner } from '../safety/destination-scanner.ts';
import type { CachedLink } from './cached-link.ts';
import { clientAddressOf, type TrustsPeer } from './client-address.ts';

/** What a redirect sets in motion once its answer is on its way: the click, and the scan of a link never followed before. */
export class Visits {
  constructor(
    private readonly clicks: ClickSink,
    private readonly scanner: DestinationScanner,
    private readonly trusts: TrustsPeer,
  ) {}

  /** Neither waits nor throws. */
  record(link: CachedLink, request: IncomingMessage, now: number): void {
    if (!link.isScanned) this.scanner.offer(link);
    if (!link.trackClicks || !isClick(request as IncomingMessage & { method: string })) return;
    const { headers } = request;
    this.clicks.record({
      code: link.code,
      timestamp: new Date(now),
      ip: clientAddressOf(
        request.socket.remoteAddress ?? '',
        headers['x-forwarded-for'] as string | undefined,
        this.trusts,
      ),
      referrer: headers.referer ?? null,
      userAgent: headers['user-agent'] ?? null,
      traceparent: headers['traceparent'] as string | undefined,
    });
  }
}
