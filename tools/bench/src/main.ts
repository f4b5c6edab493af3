import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  createTestDatabase,
  kafkaBrokers,
  provisionServices,
  redisUrl,
} from '@gatepost/test-services';
import { OptionRefused, readOptions } from './options.ts';
import { type SuiteReport, toMarkdown, toSvg } from './report.ts';
import { SUITES } from './suites.ts';

const RESULTS = fileURLToPath(new URL('../../../.results', import.meta.url));
const say = (text: string) => console.log(`  ${text}`);

const options = optionsOrExit();
const databases: { drop(): Promise<void> }[] = [];
const services = await provisionServices(['postgres', 'redis', 'kafka'], say);
const reports: SuiteReport[] = [];
try {
  for (const suite of SUITES) {
    if (options.only && !options.only.includes(suite.name)) continue;
    console.log(`\n${suite.name}`);
    const measured = await suite.run({
      rounds: options.rounds,
      seconds: options.seconds,
      redisUrl: redisUrl(),
      kafkaBrokers: kafkaBrokers(),
      createDatabase: async () => {
        const database = await createTestDatabase();
        databases.push(database);
        return database.url;
      },
      say,
    });
    reports.push(...[measured].flat());
  }
} finally {
  for (const database of databases) await database.drop().catch(() => undefined);
  await services.release();
}

const markdown = toMarkdown(reports);
console.log(`\n${markdown}`);
writeFileSync(`${RESULTS}/bench.md`, markdown);
writeFileSync(`${RESULTS}/bench.svg`, toSvg(reports));
if (options.json) writeFileSync(options.json, JSON.stringify(reports, null, 2));
const missed = reports.flatMap(({ verdicts }) => verdicts).filter(({ holds }) => !holds);
console.log(
  `The table and a chart are in .results/bench.md and .results/bench.svg.${missed.length > 0 ? ` ${missed.length} promises were missed.` : ''}`,
);
process.exit(missed.length > 0 ? 1 : 0);

function optionsOrExit() {
  try {
    return readOptions(
      process.argv.slice(2),
      SUITES.map(({ name }) => name),
    );
  } catch (error) {
    if (!(error instanceof OptionRefused) && !(error instanceof TypeError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
