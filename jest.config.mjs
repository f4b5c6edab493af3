// All projects in one run: what `npm test` uses. One project alone: `nx test <project>`, with that project's own jest.config.mjs.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { testTimeout } from './tools/test-services/jest/test-timeout.mjs';

const root = import.meta.dirname;
const projects = ['libs', 'apps', 'tools'].flatMap((group) =>
  readdirSync(join(root, group))
    .map((name) => join(root, group, name))
    .filter((folder) => existsSync(join(folder, 'jest.config.mjs'))),
);

process.env.GATEPOST_ALL_PROJECTS = '1'; // read by jest.preset.mjs, which the projects import after this

export default {
  projects,
  reporters: ['totals', 'skipped-suites'].map((name) =>
    join(root, 'tools', 'test-services', 'jest', `${name}-reporter.mjs`),
  ),
  // Instead of the one of jest.preset.mjs, which counts for one project alone; here two workers share the machine.
  testTimeout: testTimeout(60_000),
  // Native ESM modules stay in a worker's memory for as long as it lives.
  workerIdleMemoryLimit: '1GB',
};
