// Builds everything that has a dist: the Prisma clients, then TypeScript's own incremental build. Both do nothing when nothing changed.
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Apps that have a Prisma schema. */
const prismaApps = () =>
  readdirSync('apps').filter((app) => existsSync(`apps/${app}/prisma/schema.prisma`));

/** Generates the clients that are missing or older than their schema. */
export async function generateClients(say = () => undefined) {
  const stale = prismaApps().filter((app) =>
    isOlder(`apps/${app}/src/generated/client.ts`, [
      `apps/${app}/prisma/schema.prisma`,
      'node_modules/prisma/package.json',
    ]),
  );
  if (stale.length === 0) return;
  say(`generating database clients (${stale.join(', ')})`);
  await Promise.all(
    stale.map((app) =>
      exec(join('node_modules', 'prisma', 'build', 'index.js'), [
        'generate',
        '--config',
        `apps/${app}/prisma.config.ts`,
      ]),
    ),
  );
}

/** Generates and compiles; throws an Error whose message is the compiler's own words. */
export async function buildAll(say = () => undefined) {
  await generateClients(say);
  say('compiling');
  await exec(join('node_modules', 'typescript', 'bin', 'tsc'), ['-b', 'tsconfig.json']);
}

function isOlder(output, inputs) {
  if (!existsSync(output)) return true;
  const builtAt = statSync(output).mtimeMs;
  return inputs.some((input) => existsSync(input) && statSync(input).mtimeMs > builtAt);
}

async function exec(script, args) {
  try {
    await run(process.execPath, [script, ...args], {
      maxBuffer: 16 * 1024 * 1024,
      env: { ...process.env, PRISMA_HIDE_UPDATE_MESSAGE: '1' },
    });
  } catch (error) {
    throw new Error(
      `${[script.split('/')[1], ...args].join(' ')} failed:\n${error.stdout}${error.stderr}`,
    );
  }
}
