#!/usr/bin/env node
// `npm test`: builds, provides the real servers, runs every spec of every project, and ends with the line `N passed, N failed`.
// Arguments are patterns of paths: `npm test -- shortener/src/links`. `--checks` runs lint, checks and type checks too.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildAll } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
process.chdir(root);

const args = process.argv.slice(2);
const patterns = args.filter((arg) => arg !== '--checks');
const began = Date.now();
const totals = { passed: 0, failed: 0, skipped: 0 };
const say = (line) =>
  console.log(`${((Date.now() - began) / 1000).toFixed(1).padStart(6)} s  ${line}`);

let interrupted;
let child;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted ??= signal;
    child?.kill(signal); // a terminal has told it already; a process manager has not
  });
}

await build();
if (args.includes('--checks')) {
  for (const script of ['lint', 'typecheck']) await check(script);
}
if (!interrupted) await runSpecs();
finish();

/** A fault of types in one project is a failure, and no reason to keep silent about the others. */
async function build() {
  try {
    await buildAll(say);
  } catch (error) {
    console.error(error.message);
    totals.failed += 1;
  }
}

/** Counts as one test. */
async function check(script) {
  if (interrupted) return;
  say(`npm run ${script}`);
  const code = await run('npm', ['run', '--silent', script], { NX_DAEMON: 'false' });
  totals[code === 0 ? 'passed' : 'failed'] += 1;
}

async function runSpecs() {
  const { provisionServices, servicesOfSpecs } = await import('./test-services/dist/index.js');
  const groups = ['libs', 'apps', 'tools'].map((group) => join(root, group));
  const needed = [...new Set(groups.flatMap((group) => servicesOfSpecs(group, patterns)))];
  if (needed.length > 0) say(`servers: ${needed.join(', ')}`);
  const provision = await provisionServices(needed, say);
  const folder = mkdtempSync(join(tmpdir(), 'gatepost-test-'));
  try {
    if (interrupted) return;
    await runJest(join(folder, 'totals.json'));
    add(readTotals(join(folder, 'totals.json')));
  } finally {
    await provision.release();
    rmSync(folder, { recursive: true });
  }
}

function runJest(totalsFile) {
  return run(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      'node_modules/jest/bin/jest.js',
      // Specs wait for servers more than they compute.
      `--maxWorkers=${Math.max(2, availableParallelism())}`,
      '--passWithNoTests',
      ...patterns,
    ],
    { GATEPOST_BUILT: '1', GATEPOST_TOTALS: totalsFile },
  );
}

function run(command, commandArgs, env = {}) {
  return new Promise((resolve) => {
    child = spawn(command, commandArgs, {
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, ...env },
    });
    child.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(1);
    });
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

/** A run that ended before its end, and not because somebody stopped it, did not end well. */
function readTotals(file) {
  const none = { totals: { passed: 0, failed: 0, skipped: 0 }, isComplete: false };
  const { totals: counted, isComplete } = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : none;
  if (isComplete || interrupted) return counted;
  console.error('The test run ended before its end.');
  return { ...counted, failed: counted.failed + 1 };
}

function add(more) {
  for (const name of Object.keys(totals)) totals[name] += more[name];
}

function finish() {
  if (interrupted) console.log(`stopped by ${interrupted}`);
  else say('done');
  const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
  console.log(`${totals.passed} passed, ${totals.failed} failed${skipped}`);
  process.exit(interrupted ? 130 : totals.failed > 0 ? 1 : 0);
}
