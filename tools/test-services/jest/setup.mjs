// Jest's globalSetup: provides what the specs of this run need, unless the process that started the run has done so.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));

export default async function setup(globalConfig, projectConfig) {
  const patterns = globalConfig.testPathPatterns?.patterns ?? [];
  const { servicesOfSpecs, provisionServices } = await loadTestServices();
  const provided = JSON.parse(process.env.GATEPOST_TEST_SERVICES ?? '{}');
  const needed = servicesOfSpecs(projectConfig.rootDir, patterns).filter(
    (service) => provided[service] === undefined,
  );
  if (needed.length === 0) return;
  const provision = await provisionServices(needed, (line) => console.error(line));
  globalThis.gatepostProvisions ??= [];
  globalThis.gatepostProvisions.push(provision);
  leaveOnSignal();
}

/** Jest runs this as it stands, without its own compilation of TypeScript: the compiled package is brought up to date first. */
async function loadTestServices() {
  if (process.env.GATEPOST_BUILT !== '1') {
    execFileSync(
      process.execPath,
      ['node_modules/typescript/bin/tsc', '-b', 'tools/test-services'],
      { cwd: workspace, stdio: ['ignore', 'inherit', 'inherit'] },
    );
  }
  return import('../dist/index.js');
}

let listening = false;

/** Jest ends on Ctrl-C without calling globalTeardown. */
function leaveOnSignal() {
  if (listening) return;
  listening = true;
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.once(signal, () => {
      const left = globalThis.gatepostProvisions.map((provision) => provision.release());
      void Promise.allSettled(left).then(() => process.exit(code));
    });
  }
}
