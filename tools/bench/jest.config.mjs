import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'bench', rootDir: import.meta.dirname };
