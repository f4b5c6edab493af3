import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'auth-server-e2e', rootDir: import.meta.dirname };
