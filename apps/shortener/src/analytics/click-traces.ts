import { parseTraceparent, type TracedWork, type Tracing } from '@gatepost/service-kit';
import type { KafkaMessage } from 'kafkajs';
import { FetchedRecord } from '../clicks/kafka-fetched-record.ts';

interface Batch {
  readonly topic: string;
  readonly partition: number;
}

/** Ends what was begun; with an error where the batch was not counted. */
export type EndTraces = (error?: unknown) => void;

const NOTHING_BEGAN: EndTraces = () => undefined;

/**
 * A consumer span for each message whose trace somebody keeps, as a child of the redirect that published it. A batch holds
 * the clicks of many traces, so each has a span of its own (OpenTelemetry, semantic conventions for messaging).
 */
export function beginTraces(
  tracing: Tracing | undefined,
  messages: readonly KafkaMessage[],
  { topic, partition }: Batch,
): EndTraces {
  if (!tracing?.isOn) return NOTHING_BEGAN;
  const begun: TracedWork[] = [];
  for (const message of messages) {
    const traceparent = traceparentOf(message);
    if (!isKept(traceparent)) continue;
    begun.push(
      tracing.begin('consumer', `process ${topic}`, traceparent, {
        'messaging.system': 'kafka',
        'messaging.operation.type': 'process',
        'messaging.destination.name': topic,
        'messaging.destination.partition.id': String(partition),
        'messaging.kafka.offset': Number(message.offset),
      }),
    );
  }
  return (error) => {
    for (const work of begun) work.end(error === undefined ? {} : { error });
  };
}

function traceparentOf(message: KafkaMessage): string | undefined {
  return message instanceof FetchedRecord
    ? message.header('traceparent')
    : message.headers?.['traceparent']?.toString();
}

/** The lowest bit of the flags: without it the span would be made and thrown away. */
function isKept(traceparent: string | undefined): boolean {
  return ((parseTraceparent(traceparent)?.flags ?? 0) & 1) === 1;
}
