import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'auth-server', rootDir: import.meta.dirname };
