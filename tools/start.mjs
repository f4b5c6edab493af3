#!/usr/bin/env node
// `npm start`: builds what is not built yet, then hands over to tools/platform. Plain JavaScript, for nothing is compiled at this point.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { buildAll } from './build.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
const started = performance.now();
if (!existsSync('node_modules/nx')) {
  console.error('The packages are not installed yet: run "npm ci" first.');
  process.exit(1);
}
console.log('Gatepost is starting.');
try {
  await buildAll((step) => console.log(`  ${step}`));
} catch (error) {
  console.error(error.message);
  process.exit(1);
}
const platform = spawn(
  process.execPath,
  ['--enable-source-maps', 'tools/platform/dist/main.js', ...process.argv.slice(2)],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      GATEPOST_STARTED_AT: String(Date.now() - (performance.now() - started)),
    },
  },
);
// A terminal tells the platform too; it stops once, however often it is told.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => platform.kill(signal));
// npm ends its shell on a signal, and the shell tells nobody: without this everything would run on without a parent.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && platform.kill('SIGTERM'), 500).unref();
platform.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
