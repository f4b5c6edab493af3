import 'reflect-metadata';
import { runService } from '@gatepost/service-kit';
import { administrationRoutes } from './administration/administration-routes.ts';
import { COMMANDS, runCommand } from './commands.ts';
import { migrateAuthDatabase, openAuthDatabase } from './database.ts';
import { environment } from './env.ts';
import { buildServer } from './serve.ts';

const [command = 'serve', ...flags] = process.argv
  .slice(2)
  .filter((word) => word !== '--print-config');

if (!COMMANDS.includes(command)) {
  process.stderr.write(`usage: auth-server [${COMMANDS.join(' | ')}]\n`);
  process.exitCode = 64;
} else if (command !== 'serve') {
  process.exitCode = await runCommand(command, flags);
} else {
  await runService({
    name: 'auth-server',
    environment,
    async build(parts) {
      const database = await openAuthDatabase(parts.env, parts.logger);
      try {
        if (parts.env.MIGRATE_ON_START) await migrateAuthDatabase(database.url);
        const app = await buildServer(parts, database.pool);
        parts.management.addRoutes(administrationRoutes(app, parts.env));
        return { app, close: () => database.close() };
      } catch (error) {
        await database.close();
        throw error;
      }
    },
  });
}
