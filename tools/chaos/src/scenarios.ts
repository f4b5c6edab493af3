import type { Scenario } from './scenario.ts';
import { aliasRace } from './scenarios/alias-race.ts';
import { clockSteps } from './scenarios/clock-steps.ts';
import { codeSingleUse } from './scenarios/code-single-use.ts';
import { diskFull } from './scenarios/disk-full.ts';
import { idleConnections } from './scenarios/idle-connections.ts';
import { kafkaAway } from './scenarios/kafka-away.ts';
import { limiterThreeGateways } from './scenarios/limiter-three-gateways.ts';
import { malformedFlood } from './scenarios/malformed-flood.ts';
import { postgresAway } from './scenarios/postgres-away.ts';
import { redisHung, redisKilled } from './scenarios/redis-away.ts';
import { rollingRestart } from './scenarios/rolling-restart.ts';
import { slowUpstream } from './scenarios/slow-upstream.ts';
import { workerKilled } from './scenarios/worker-killed.ts';

/** In the order they run. */
export const SCENARIOS: readonly Scenario[] = [
  codeSingleUse,
  aliasRace,
  limiterThreeGateways,
  redisKilled,
  redisHung,
  postgresAway,
  kafkaAway,
  workerKilled,
  rollingRestart,
  diskFull,
  slowUpstream,
  idleConnections,
  malformedFlood,
  clockSteps,
];
