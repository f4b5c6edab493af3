import { TRACING_OFF, type TracedWork, type Tracing } from '@gatepost/service-kit';
import type { KafkaMessage } from 'kafkajs';
import { beginTraces } from './click-traces.ts';

const trace = '0af7651916cd43dd8448eb211c80319c';
const kept = `00-${trace}-b7ad6b7169203331-01`;
const batch = { topic: 'clicks', partition: 3 };

const message = (offset: string, traceparent?: string): KafkaMessage => ({
  key: null,
  value: null,
  timestamp: '0',
  attributes: 0,
  offset,
  headers: traceparent === undefined ? {} : { traceparent: Buffer.from(traceparent) },
});

/** Notes what is begun, and with what it ends. */
class NotedTracing implements Tracing {
  readonly isOn = true;
  readonly begun: { parent: string | undefined; attributes: unknown }[] = [];
  readonly ended: unknown[] = [];

  begin(...[, , parent, attributes]: Parameters<Tracing['begin']>): TracedWork {
    this.begun.push({ parent, attributes });
    return { traceparent: '', end: (outcome) => void this.ended.push(outcome) };
  }

  async shutdown(): Promise<void> {
    // nothing is held
  }
}

describe('the traces of a batch of clicks', () => {
  it('are continued where somebody keeps them, each by a span of its own', () => {
    const tracing = new NotedTracing();
    const messages = [
      message('7', kept),
      message('8'),
      message('9', kept.replace(/01$/, '00')),
      message('10', 'nonsense'),
      message('11', kept),
    ];
    beginTraces(tracing, messages, batch)();
    expect(tracing.begun).toEqual(
      [7, 11].map((offset) => ({
        parent: kept,
        attributes: expect.objectContaining({
          'messaging.destination.name': 'clicks',
          'messaging.destination.partition.id': '3',
          'messaging.kafka.offset': offset,
        }),
      })),
    );
    expect(tracing.ended).toEqual([{}, {}]);
  });

  it('end with the error of a batch that was not counted', () => {
    const tracing = new NotedTracing();
    const error = new Error('the database is away');
    beginTraces(tracing, [message('1', kept)], batch)(error);
    expect(tracing.ended).toEqual([{ error }]);
  });

  it('cost nothing while tracing is off', () => {
    const untouched = new Proxy([] as KafkaMessage[], {
      get: () => {
        throw new Error('looked at');
      },
    });
    expect(() => beginTraces(TRACING_OFF, untouched, batch)()).not.toThrow();
    expect(() => beginTraces(undefined, untouched, batch)()).not.toThrow();
  });
});
