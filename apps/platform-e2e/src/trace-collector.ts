import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as far as the specs look into it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}
interface Exported {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<CollectedSpan, 'service'>[] }[];
  }[];
}

/** What an OpenTelemetry collector is to the services: takes OTLP/HTTP in JSON, and keeps it. */
export class TraceCollector {
  /** The bodies as they came. */
  readonly bodies: string[] = [];

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        this.bodies.push(body);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<TraceCollector> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new TraceCollector(server);
  }

  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  get endpoint(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  spansOf(traceId: string): CollectedSpan[] {
    return this.bodies
      .flatMap((body) => (JSON.parse(body) as Exported).resourceSpans)
      .flatMap(({ resource, scopeSpans }) => {
        const service =
          resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
        return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
      })
      .filter((span) => span.traceId === traceId);
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
