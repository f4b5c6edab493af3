import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'service-kit', rootDir: import.meta.dirname };
