import preset from '../../jest.preset.mjs';

// A hook starts a database, an issuer and a process of the service, on machines that have other things to do.
export default {
  ...preset,
  displayName: 'shortener-e2e',
  rootDir: import.meta.dirname,
  testTimeout: 60_000,
};
