import { fileURLToPath } from 'node:url';
import { AppFailed } from './app-process.ts';
import { findObstacle } from './obstacles.ts';
import { Platform } from './platform.ts';
import { type PlatformSettings, readSettings, SettingRefused } from './settings.ts';
import { summarise } from './summary.ts';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));
const verbose = process.argv.includes('--verbose');
const startedAt = Number(process.env['GATEPOST_STARTED_AT'] ?? Date.now());
const say = (text: string) => console.log(`  ${text}`);

const settings = settingsOrExit();
const obstacle = await findObstacle(settings);
if (obstacle) exit(obstacle, 1);

let platform: Platform | undefined;
let stopping = false;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => void stop());

try {
  platform = await Platform.start({
    workspace,
    settings,
    environment: process.env,
    say,
    onLine: (app, line) => show(app, line),
  });
} catch (error) {
  if (error instanceof AppFailed) exit(error.message, error.exitCode);
  exit((error as Error).message, 1);
}
if (stopping) await stop();
else {
  const demo = (process.env['DEMO'] || 'true') === 'true';
  const database = process.env['DATABASE_URL'] ? 'as DATABASE_URL names it' : 'embedded PostgreSQL';
  console.log(summarise(settings, { seconds: (Date.now() - startedAt) / 1000, demo, database }));
}

function settingsOrExit(): PlatformSettings {
  try {
    return readSettings(process.env, workspace);
  } catch (error) {
    if (error instanceof SettingRefused) exit(error.message, error.exitCode);
    throw error;
  }
}

/** Warnings and worse are shown, in a form for people; the files hold everything. */
function show(app: string, line: string): void {
  try {
    const { level, msg, err } = JSON.parse(line) as {
      level: string;
      msg: string;
      err?: { message?: string };
    };
    if (verbose || level === 'warn' || level === 'error' || level === 'fatal') {
      console.log(
        `  ${app} ${level}: ${msg}${err?.message && err.message !== msg ? ` (${err.message})` : ''}`,
      );
    }
  } catch {
    console.log(`  ${app}: ${line}`); // not a log line of ours: show it as it is
  }
}

async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  if (!platform) return; // still starting: stopped as soon as that is done
  console.log('\nStopping.');
  await platform.stop();
  console.log('Stopped.');
  process.exit(0);
}

function exit(sentence: string, code: number): never {
  console.error(`\n${sentence}`);
  process.exit(code);
}
