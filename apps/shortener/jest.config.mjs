import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'shortener', rootDir: import.meta.dirname };
