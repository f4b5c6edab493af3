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
// The platform hears Ctrl-C from the terminal itself; what is sent to this process alone is passed on.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => platform.kill('SIGTERM'));
platform.on('exit', (code, signal) => process.exit(signal ? 1 : (code ?? 1)));
