import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'test-services', rootDir: import.meta.dirname };
