import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'checks', rootDir: import.meta.dirname };
