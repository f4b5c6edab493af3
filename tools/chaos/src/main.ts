import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Provision, provisionServices, type ServiceName } from '@gatepost/test-services';
import { endForgottenPostgres } from './actors/postgres.ts';
import { unmountForgotten } from './actors/small-disk.ts';
import { OptionRefused, readOptions } from './options.ts';
import { listScenarios, type Result, toMarkdown } from './report.ts';
import { type Scenario, ScenarioSkipped } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';
import { Stage } from './stage.ts';

const RESULTS = fileURLToPath(new URL('../../../.results', import.meta.url));
const options = optionsOrExit();
if (options.list) {
  console.log(listScenarios(SCENARIOS));
  process.exit(0);
}
const chosen = SCENARIOS.filter(({ name }) => options.only?.includes(name) ?? true);
let services: Provision | undefined;
let stage: Stage | undefined;
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void stop(130));
for (const event of ['unhandledRejection', 'uncaughtException'] as const)
  process.on(event, (error: unknown) => {
    // While everything is being ended, whatever still asks fails, and nobody is interested.
    if (isStopping) return;
    console.error(error);
    void stop(1);
  });

const needed = [...new Set(chosen.flatMap(({ needs }) => needs))];
services = await provisionServices(needed, (line) => console.log(`  ${line}`));
const results: Result[] = [];
for (const scenario of chosen) {
  if (isStopping) break;
  results.push(await play(scenario));
}
if (!isStopping) await finish();

async function play(scenario: Scenario): Promise<Result> {
  const { name, promise } = scenario;
  console.log(`\n${name}\n  promise   ${promise}`);
  const began = performance.now();
  const end = (verdict: Result['verdict'], observed: string, faults: readonly string[] = []) => {
    const seconds = Math.round((performance.now() - began) / 100) / 10;
    if (isStopping) return { name, promise, verdict, observed, faults, seconds };
    console.log(`  observed  ${observed}`);
    for (const fault of faults) console.log(`  FAULT     ${fault}`);
    console.log(`  verdict   ${verdict} (${seconds} s)`);
    return { name, promise, verdict, observed, faults, seconds };
  };
  const missing = scenario.needs.flatMap((service) => whyMissing(service));
  if (missing.length > 0) return end('skipped', missing.join('; '));
  const folder = `${RESULTS}/chaos/${name}`;
  endForgottenPostgres(folder);
  unmountForgotten(folder);
  stage = new Stage({ folder, kafkaAwaySeconds: options.kafkaAwaySeconds, say });
  try {
    const { observed, faults } = await scenario.run(stage);
    return end(faults.length > 0 ? 'broken' : 'held', observed, faults);
  } catch (error) {
    if (error instanceof ScenarioSkipped) return end('skipped', error.message);
    return end('broken', 'it did not come to its end', [(error as Error).stack ?? String(error)]);
  } finally {
    if (!isStopping) await stage.end();
  }
}

function say(text: string): void {
  if (!isStopping) console.log(`  ·         ${text}`);
}

function whyMissing(service: ServiceName): string[] {
  const outcome = services?.outcomes[service];
  return outcome?.available ? [] : [`no ${service}: ${outcome?.reason} (${outcome?.command})`];
}

async function finish(): Promise<void> {
  isStopping = true;
  await services?.release();
  const markdown = toMarkdown(results);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(`${RESULTS}/chaos.md`, markdown);
  if (options.json) writeFileSync(options.json, JSON.stringify(results, null, 2));
  console.log(`\n${markdown}\nThe table is in .results/chaos.md, logs are in .results/chaos/.`);
  process.exit(results.some(({ verdict }) => verdict === 'broken') ? 1 : 0);
}

/** Ctrl-C, or a fault of our own: ends what runs, then itself. */
async function stop(code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  console.log('\nStopping.');
  await stage?.end();
  await services?.release();
  process.exit(code);
}

function optionsOrExit() {
  try {
    return readOptions(
      process.argv.slice(2),
      SCENARIOS.map(({ name }) => name),
    );
  } catch (error) {
    if (!(error instanceof OptionRefused) && !(error instanceof TypeError)) throw error;
    console.error(error.message);
    process.exit(2);
  }
}
