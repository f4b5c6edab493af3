import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'cli', rootDir: import.meta.dirname };
