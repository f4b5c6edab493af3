#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(fileURLToPath(main))) await import(main.href);
else {
  process.stderr.write(
    'The gatepost command line is not built yet: run "npm run build" in the repository first ("npm start" builds it too).\n',
  );
  process.exitCode = 1;
}
