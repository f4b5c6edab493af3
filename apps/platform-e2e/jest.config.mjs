import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'platform-e2e', rootDir: import.meta.dirname };
