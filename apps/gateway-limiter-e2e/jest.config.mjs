import preset from '../../jest.preset.mjs';

// Each suite starts processes of the built app.
export default {
  ...preset,
  displayName: 'gateway-limiter-e2e',
  rootDir: import.meta.dirname,
  testTimeout: 30_000,
};
