import { provideChromium } from './chromium.ts';
import { provideKafka, provideKafkaProgram } from './kafka.ts';
import { providePostgres } from './postgres.ts';
import { sweepPrivateServers } from './private-server.ts';
import { provideKustomize, providePromtool } from './programs.ts';
import { provideRedis, provideRedisProgram } from './redis.ts';
import {
  beginRun,
  type Outcome,
  type Outcomes,
  type Provided,
  publishOutcomes,
  type Say,
  type ServiceName,
  ServiceUnavailable,
} from './service.ts';

const PROVIDERS: Record<ServiceName, (say: Say) => Promise<Provided>> = {
  postgres: providePostgres,
  redis: provideRedis,
  'redis-server': provideRedisProgram,
  kafka: provideKafka,
  'kafka-server': provideKafkaProgram,
  chromium: provideChromium,
  promtool: providePromtool,
  kustomize: provideKustomize,
};

export interface Provision {
  readonly outcomes: Outcomes;
  /** Leaves every server; those that no other run uses stop. */
  release(): Promise<void>;
}

/** Gets all the services at the same time, and tells the test processes that this one starts how to reach them. */
export async function provisionServices(
  services: readonly ServiceName[],
  say: Say,
): Promise<Provision> {
  beginRun();
  await sweepPrivateServers();
  const provided: Provided[] = [];
  const entries = await Promise.all(
    services.map(async (service): Promise<[ServiceName, Outcome]> => {
      try {
        const one = await PROVIDERS[service](say);
        provided.push(one);
        return [service, { available: true, address: one.address }];
      } catch (error) {
        return [service, failure(service, error as Error)];
      }
    }),
  );
  const outcomes: Outcomes = Object.fromEntries(entries);
  publishOutcomes(outcomes);
  return {
    outcomes,
    release: async () => {
      await Promise.all(provided.map((one) => one.release()));
      await sweepPrivateServers(true);
    },
  };
}

function failure(service: ServiceName, error: Error): Outcome {
  const command =
    error instanceof ServiceUnavailable ? error.command : `see why ${service} failed to start`;
  return { available: false, reason: error.message, command };
}
