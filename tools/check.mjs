#!/usr/bin/env node
// The rules of the house that no linter knows (tools/checks), then oxlint's rules that need types. Called by `npm run lint`.
// `node tools/check.mjs <folder>` checks another workspace, by the rules alone.
import { execFileSync, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { generateClients } from './build.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = process.argv[2] ?? root;
process.chdir(root);

execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-b', 'tools/checks'], {
  stdio: ['ignore', 'inherit', 'inherit'],
});
const { readWorkspace, runChecks, showFinding } = await import('./checks/dist/index.js');
const workspace = readWorkspace(target);
const findings = runChecks(workspace);
for (const finding of findings) console.error(showFinding(finding));
const files = workspace.projects.reduce((sum, project) => sum + project.files.length, 0);
console.log(
  `${workspace.projects.length} projects, ${files} files: ${findings.length === 0 ? 'every rule holds' : `${findings.length} findings`}`,
);

const typesPass = target !== root || (await passesTypeAwareLint());
process.exit(findings.length === 0 && typesPass ? 0 : 1);

/** Promises that nobody waits for are what the type-blind linter cannot see. */
async function passesTypeAwareLint() {
  await generateClients();
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/oxlint/bin/oxlint', '--type-aware', 'apps', 'libs', 'tools'],
    { stdio: ['ignore', 'inherit', 'inherit'] },
  );
  return status === 0;
}
