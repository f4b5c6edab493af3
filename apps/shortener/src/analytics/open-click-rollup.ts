import type { Pool } from '@gatepost/postgres';
import type { ClicksEnv } from '../clicks/clicks-environment.ts';
import { ClickRollup, type RollupSettings } from './click-rollup.ts';
import { noCountries, openCountries } from './country.ts';
import { PartitionRepository } from './partition.repository.ts';
import { RollupRepository } from './rollup.repository.ts';
import { SaltRepository } from './salt.repository.ts';
import { rememberAgents } from './user-agent.ts';

const REMEMBERED_AGENTS = 20_000;

/** The rollup as the environment wants it; the same for the worker and in process. */
export async function openClickRollup(env: ClicksEnv, pool: Pool): Promise<ClickRollup> {
  return new ClickRollup({
    rollups: new RollupRepository(pool),
    partitions: new PartitionRepository(pool),
    salts: new SaltRepository(pool),
    describeAgent: rememberAgents(REMEMBERED_AGENTS),
    countryOf:
      env.COUNTRY_DATABASE === undefined ? noCountries : await openCountries(env.COUNTRY_DATABASE),
    settings: rollupSettings(env),
  });
}

function rollupSettings(env: ClicksEnv): RollupSettings {
  return {
    ipMode: env.CLICK_IP_MODE,
    rawRetentionDays: env.CLICK_RAW_RETENTION_DAYS,
    minuteRetentionDays: env.CLICK_MINUTE_RETENTION_DAYS,
    countsUniques: env.CLICK_UNIQUES,
    refusesDuplicates: env.CLICK_DEDUPE,
  };
}
