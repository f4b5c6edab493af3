import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'chaos', rootDir: import.meta.dirname };
