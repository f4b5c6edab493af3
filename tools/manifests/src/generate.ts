import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { observabilityFiles } from './observability/files.ts';

const workspace = fileURLToPath(new URL('../../..', import.meta.url));
for (const [path, content] of Object.entries(observabilityFiles())) {
  mkdirSync(dirname(join(workspace, path)), { recursive: true });
  writeFileSync(join(workspace, path), content);
}
