import { defineConfig } from 'prisma/config';

// These three commands run on wasm alone, yet the CLI first fetches its native engine; when this names a file, it does not.
if (['generate', 'validate', 'format'].some((command) => process.argv.includes(command))) {
  process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;
}

const url = process.env['DATABASE_URL'];

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
  ...(url ? { datasource: { url } } : {}),
});
