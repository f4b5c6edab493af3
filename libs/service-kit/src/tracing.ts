import type { Attributes, Context, Span, SpanKind } from '@opentelemetry/api';
import { formatTraceparent, newTraceContext, parseTraceparent } from './trace-context.ts';

export type SpanRole = 'server' | 'client' | 'producer' | 'consumer';

/** A piece of work in a trace. */
export interface TracedWork {
  /** To be sent on as the `traceparent` of whatever this work calls. */
  readonly traceparent: string;
  end(outcome?: {
    readonly status?: number;
    readonly error?: unknown;
    readonly attributes?: Attributes;
  }): void;
}

/** Traces when an OTLP endpoint is configured; else passes the context on and does nothing else. */
export interface Tracing {
  readonly isOn: boolean;
  begin(
    role: SpanRole,
    name: string,
    parent: string | undefined,
    attributes?: Attributes,
  ): TracedWork;
  /** Sends what is left. */
  shutdown(): Promise<void>;
}

export const TRACING_OFF: Tracing = {
  isOn: false,
  begin(_role, _name, parent) {
    const context = parseTraceparent(parent);
    return { traceparent: formatTraceparent(context ?? newTraceContext()), end: () => undefined };
  },
  shutdown: async () => undefined,
};

export interface TracingOptions {
  readonly service: string;
  /** Base address of an OTLP/HTTP collector; undefined: off. */
  readonly endpoint: string | undefined;
  /** Share of traces kept among those that begin here, 0 to 1. A parent's decision is followed. */
  readonly sampleRatio: number;
}

/**
 * Starts tracing. The SDK is loaded only when it is on: it costs memory and time at start. Our few seams are instrumented
 * by hand (edge, service, producer, consumer): patching ES modules from outside is what breaks with each major version.
 */
export async function startTracing(options: TracingOptions): Promise<Tracing> {
  if (!options.endpoint) return TRACING_OFF;
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const provider = new sdk.BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': options.service,
      'service.namespace': 'gatepost',
    }),
    sampler: new sdk.ParentBasedSampler({
      root: new sdk.TraceIdRatioBasedSampler(options.sampleRatio),
    }),
    spanProcessors: [
      new sdk.BatchSpanProcessor(new OTLPTraceExporter({ url: `${options.endpoint}/v1/traces` }), {
        scheduledDelayMillis: 1_000,
      }),
    ],
  });
  const tracer = provider.getTracer('gatepost');
  const kinds: Record<SpanRole, SpanKind> = {
    server: api.SpanKind.SERVER,
    client: api.SpanKind.CLIENT,
    producer: api.SpanKind.PRODUCER,
    consumer: api.SpanKind.CONSUMER,
  };

  const contextOf = (parent: string | undefined): Context => {
    const context = parseTraceparent(parent);
    if (!context) return api.ROOT_CONTEXT;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, {
      traceId: context.traceId,
      spanId: context.spanId,
      traceFlags: context.flags,
      isRemote: true,
    });
  };
  const end = (span: Span, outcome: Parameters<TracedWork['end']>[0] = {}): void => {
    if (outcome.attributes) span.setAttributes(outcome.attributes);
    if (outcome.status !== undefined)
      span.setAttribute('http.response.status_code', outcome.status);
    if (outcome.error instanceof Error) span.recordException(outcome.error);
    if (outcome.error !== undefined || (outcome.status ?? 0) >= 500)
      span.setStatus({ code: api.SpanStatusCode.ERROR });
    span.end();
  };
  return {
    isOn: true,
    begin(role, name, parent, attributes = {}) {
      const span = tracer.startSpan(name, { kind: kinds[role], attributes }, contextOf(parent));
      const { traceId, spanId, traceFlags } = span.spanContext();
      return {
        traceparent: formatTraceparent({ traceId, spanId, flags: traceFlags }),
        end: (outcome) => end(span, outcome),
      };
    },
    shutdown: () => provider.shutdown(),
  };
}
