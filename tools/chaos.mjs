#!/usr/bin/env node
// `npm run chaos`: builds, then breaks things on purpose. Options: --only a,b  --list  --json file  --kafka-away seconds
import { mkdirSync } from 'node:fs';
import { buildAll } from './build.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
mkdirSync('.results', { recursive: true });
await buildAll((step) => console.log(`  ${step}`));
await import('./chaos/dist/main.js');
