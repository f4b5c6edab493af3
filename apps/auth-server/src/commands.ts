import {
  createLogger,
  createMetrics,
  EnvironmentRefused,
  type Logger,
  toNestLogger,
} from '@gatepost/service-kit';
import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.ts';
import { migrateAuthDatabase, openAuthDatabase } from './database.ts';
import { type AuthEnv, environment } from './env.ts';
import { KeyRotation } from './keys/key-rotation.service.ts';
import { Purge } from './maintenance/purge.service.ts';

type Command = (app: INestApplicationContext, flags: readonly string[]) => Promise<string>;

/** What an operator runs beside the server, as a job. `serve` and `migrate` are not among them: they need no rooms or all. */
const commands: Readonly<Record<string, Command>> = {
  async purge(app) {
    return JSON.stringify(await app.get(Purge).run());
  },
  async 'rotate-keys'(app, flags) {
    const immediately = flags.includes('--immediately');
    const now = new Date();
    await app.get(KeyRotation).maintain(now);
    await app.get(KeyRotation).rotate(now, { immediately });
    return 'signing keys rotated; running servers follow within a second';
  },
};

export const COMMANDS = ['serve', 'migrate', ...Object.keys(commands)];

/** Runs one command; the exit code. */
export async function runCommand(name: string, flags: readonly string[]): Promise<number> {
  let env: AuthEnv;
  try {
    env = environment.parse(process.env);
  } catch (error) {
    if (!(error instanceof EnvironmentRefused)) throw error;
    process.stderr.write(`auth-server: the environment is refused:\n${error.message}\n`);
    return error.exitCode;
  }
  const logger = createLogger({ name: 'auth-server', level: env.LOG_LEVEL });
  const database = await openAuthDatabase(env, logger);
  try {
    if (name === 'migrate') {
      const applied = await migrateAuthDatabase(database.url);
      say(applied.length > 0 ? `applied ${applied.join(', ')}` : 'nothing to apply');
      return 0;
    }
    say(
      await inRooms(env, logger, database.pool, (app) => (commands[name] as Command)(app, flags)),
    );
    return 0;
  } finally {
    await database.close();
    logger.flush?.();
  }
}

async function inRooms<T>(
  env: AuthEnv,
  logger: Logger,
  pool: Awaited<ReturnType<typeof openAuthDatabase>>['pool'],
  work: (app: INestApplicationContext) => Promise<T>,
): Promise<T> {
  const metrics = createMetrics('auth-server');
  const app = await NestFactory.createApplicationContext(
    AppModule.with({ env, pool, logger, metrics }),
    { logger: toNestLogger(logger), abortOnError: false },
  );
  try {
    return await work(app);
  } finally {
    await app.close();
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
