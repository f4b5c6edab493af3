import type { Logger, Registry } from '@gatepost/service-kit';
import { type DynamicModule, Module } from '@nestjs/common';
import { ClickRollup } from '../analytics/click-rollup.ts';
import { ClickSink } from './click-sink.ts';
import type { ClicksEnv } from './clicks-environment.ts';
import { InProcessClickDelivery } from './in-process-click-delivery.ts';
import { KafkaClickDelivery } from './kafka-click-delivery.ts';
import { openKafka } from './kafka-connection.ts';
import { OutboxClickSink } from './outbox-click-sink.ts';

export interface ClicksOptions {
  readonly env: ClicksEnv & {
    readonly KAFKA_BROKERS: readonly string[];
    readonly PUBLIC_URL: string;
  };
  readonly logger: Logger;
  readonly metrics: Registry;
}

/** Gives the redirect its ClickSink: to Kafka where brokers are named, else to the rollup of AnalyticsModule. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: a dynamic module of Nest is a static method
export class ClicksModule {
  static with(options: ClicksOptions): DynamicModule {
    return {
      module: ClicksModule,
      providers: [
        {
          provide: ClickSink,
          inject: [ClickRollup],
          useFactory: (rollup: ClickRollup) =>
            new OutboxClickSink(chooseDelivery(options, rollup), options),
        },
      ],
      exports: [ClickSink],
    };
  }
}

function chooseDelivery({ env, logger }: ClicksOptions, rollup: ClickRollup) {
  if (env.KAFKA_BROKERS.length === 0) return new InProcessClickDelivery(rollup);
  return new KafkaClickDelivery({
    kafka: openKafka({ env, clientId: 'shortener', logger }),
    logger,
    source: env.PUBLIC_URL,
    partitions: env.KAFKA_CLICK_PARTITIONS,
  });
}
