#!/usr/bin/env node
// `npm run generate`: writes every committed file that is generated. Tests hold each of them equal to its source.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { buildAll } from './build.mjs';

process.chdir(new URL('..', import.meta.url).pathname);
await buildAll((step) => console.log(`  ${step}`));

console.log('  dashboards and alert rules');
execFileSync(process.execPath, ['tools/manifests/dist/generate.js'], { stdio: 'inherit' });

for (const app of ['auth-server', 'gateway-limiter', 'shortener']) {
  const readme = `apps/${app}/README.md`;
  if (!existsSync(readme)) continue;
  console.log(`  ${readme}: configuration`);
  const { environment } = await import(`../apps/${app}/dist/env.js`);
  const text = readFileSync(readme, 'utf8');
  const table = /(<!-- configuration: generated -->\n)[\s\S]*?(<!-- configuration: end -->)/;
  if (!table.test(text)) throw new Error(`${readme} has no place for the configuration table.`);
  writeFileSync(
    readme,
    text.replace(table, (_all, begin, end) => `${begin}\n${environment.toMarkdown()}\n\n${end}`),
  );
}
