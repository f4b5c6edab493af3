import { openDatabase } from '@gatepost/postgres';
import { createLogger, EnvironmentRefused, type Logger } from '@gatepost/service-kit';
import { environment } from '../env.ts';
import { openNightlyJob } from './open-nightly-job.ts';

/**
 * `archive`: the nightly job, once; with `--every-hours=24` again and again, for where nobody else keeps the hours. Exit code
 * 1 when a step failed, 78 when the environment is refused.
 */
export async function runArchive(): Promise<void> {
  try {
    const everyHours = readEveryHours(process.argv);
    const env = environment.parse(process.env);
    const logger = createLogger({ name: 'shortener-archive', level: env.LOG_LEVEL });
    const database = await openDatabase({
      url: env.DATABASE_URL,
      dataDir: env.DATA_DIR,
      database: 'shortener',
      applicationName: 'shortener-archive',
      maxConnections: 2,
      connectTimeoutMs: 10_000,
      statementTimeoutMs: 120_000,
      onError: (error) => logger.warn({ err: error }, 'a database connection broke'),
      log: (line) => logger.debug(line),
    });
    const job = openNightlyJob(env, database.pool, logger);
    const stopped = stopSignal(() => job.stop());
    do {
      const { failed } = await job.run(new Date());
      process.exitCode = failed.length > 0 ? 1 : 0;
    } while (everyHours !== undefined && (await pauseUnless(stopped, everyHours)));
    await database.close();
    leave(logger);
  } catch (error) {
    process.stderr.write(`shortener archive failed:\n  ${(error as Error).message}\n`);
    process.exit(error instanceof EnvironmentRefused ? error.exitCode : 1);
  }
}

export function readEveryHours(args: readonly string[]): number | undefined {
  const text = args.find((arg) => arg.startsWith('--every-hours='))?.split('=')[1];
  if (text === undefined) return undefined;
  const hours = Number(text);
  if (Number.isFinite(hours) && hours > 0 && hours <= 168) return hours;
  throw new Error(`--every-hours must be a number of hours up to 168, not "${text}"`);
}

/** Resolves at the first SIGTERM or SIGINT. */
function stopSignal(onStop: () => void): Promise<'stop'> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const)
      process.once(signal, () => {
        onStop();
        resolve('stop');
      });
  });
}

/** Whether the pause was over before the process was asked to stop. */
async function pauseUnless(stopped: Promise<'stop'>, hours: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<'over'>((resolve) => {
    timer = setTimeout(() => resolve('over'), hours * 3_600_000);
  });
  const first = await Promise.race([stopped, over]);
  clearTimeout(timer);
  return first === 'over';
}

function leave(logger: Logger): never {
  logger.flush?.();
  process.exit();
}
