import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'embedded-postgres', rootDir: import.meta.dirname };
