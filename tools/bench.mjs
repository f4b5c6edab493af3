#!/usr/bin/env node
// `npm run bench`: builds, installs the peers on first use, measures. Options: --only a,b  --seconds n  --rounds n  --json file
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { buildAll } from './build.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
mkdirSync('.results', { recursive: true });
if (!existsSync('tools/bench/node_modules')) {
  console.log('  installing the peers (once)');
  execFileSync(
    'npm',
    ['ci', '--prefix', 'tools/bench', '--no-audit', '--no-fund', '--workspaces=false'],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
}
await buildAll((step) => console.log(`  ${step}`));
await import('./bench/dist/main.js');
