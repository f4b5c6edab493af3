#!/usr/bin/env node
// `nx serve <app>`: the compiler and the app, both in watch mode. The app restarts on its compiled output, so an edit in a lib reaches it too.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const [projectRoot] = process.argv.slice(2);
if (!projectRoot) {
  console.error('usage: node tools/serve.mjs <project root>');
  process.exit(2);
}
const compiler = spawn(
  process.execPath,
  ['node_modules/typescript/bin/tsc', '-b', projectRoot, '--watch', '--preserveWatchOutput'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
let app;
let leaveDatabase = async () => undefined;
let starting = false;
compiler.stdout.on('data', (chunk) => {
  const text = String(chunk);
  process.stdout.write(text);
  // Faults are shown and the last good build keeps serving; the first good one starts the app.
  if (starting || !/Found 0 errors/.test(text)) return;
  starting = true;
  start().catch((error) => {
    console.error(error.message);
    void stop(1);
  });
});
compiler.on('exit', (code) => void stop(code ?? 1));

async function start() {
  // Held here as well: an app that restarts would otherwise be the last to leave, and stop the database each time.
  if (!process.env.DATABASE_URL && existsSync(join(projectRoot, 'prisma'))) {
    const { joinEmbeddedPostgres } = await import('../libs/embedded-postgres/dist/index.js');
    const dataDir = join(process.env.DATA_DIR || '.data', 'postgres');
    const database = await joinEmbeddedPostgres({ dataDir, database: 'postgres' });
    leaveDatabase = () => database.leave();
    if (stopping) return leaveDatabase();
  }
  app = spawn(
    process.execPath,
    ['--enable-source-maps', '--watch', '--watch-preserve-output', `${projectRoot}/dist/main.js`],
    { stdio: 'inherit' },
  );
  app.on('exit', (code) => void stop(code ?? 0));
}

let stopping = false;
async function stop(code) {
  if (stopping) return;
  stopping = true;
  compiler.kill('SIGTERM');
  if (app && app.exitCode === null && app.signalCode === null) {
    app.removeAllListeners('exit');
    const gone = new Promise((resolve) => app.once('exit', resolve));
    app.kill('SIGTERM');
    await gone;
  }
  await leaveDatabase();
  process.exit(code);
}
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => void stop(0));
