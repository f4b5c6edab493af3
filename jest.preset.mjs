import { fileURLToPath } from 'node:url';
import { testTimeout } from './tools/test-services/jest/test-timeout.mjs';

const testServices = (file) =>
  fileURLToPath(new URL(`tools/test-services/jest/${file}`, import.meta.url));

/** Shared Jest settings: native ESM (Nest 12, oidc-provider 9 and jose 6 are ESM only), swc for TypeScript and decorator metadata. */
export default {
  testEnvironment: 'node',
  // The real servers that the specs name in describeWith(): see tools/test-services.
  globalSetup: testServices('setup.mjs'),
  globalTeardown: testServices('teardown.mjs'),
  // In a run of all projects the root's jest.config.mjs says how it is reported.
  ...(process.env.GATEPOST_ALL_PROJECTS === '1'
    ? {}
    : { reporters: ['default', testServices('skipped-suites-reporter.mjs')] }),
  // Two workers share small machines with the servers that they test: five seconds are then sometimes not enough.
  testTimeout: testTimeout(30_000),
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        swcrc: false,
        sourceMaps: 'inline',
        module: { type: 'es6' },
        jsc: {
          target: 'es2023',
          keepClassNames: true,
          parser: { syntax: 'typescript', decorators: true },
          transform: {
            legacyDecorator: true,
            decoratorMetadata: true,
            useDefineForClassFields: false,
          },
        },
      },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['@gatepost/source', 'node', 'node-addons'] },
};
