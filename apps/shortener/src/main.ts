import 'reflect-metadata';

/** One image, one entry: what a container does is its first argument. */
const commands: Record<string, () => Promise<void>> = {
  api: async () => (await import('./api.ts')).runApi(),
  openapi: async () => (await import('./openapi/write-openapi.ts')).runOpenApi(),
  asyncapi: async () => (await import('./clicks/write-asyncapi.ts')).runAsyncApi(),
  worker: async () => (await import('./analytics/run-worker.ts')).runWorker(),
  archive: async () => (await import('./archive/run-archive.ts')).runArchive(),
  migrate: async () => (await import('./migrate.ts')).runMigrations(),
};

const command = process.argv.slice(2).find((argument) => !argument.startsWith('-')) ?? 'api';
const run = commands[command];
if (run) await run();
else {
  process.stderr.write(
    `There is no command "${command}"; there are ${Object.keys(commands).join(', ')}.\n`,
  );
  process.exitCode = 64;
}
