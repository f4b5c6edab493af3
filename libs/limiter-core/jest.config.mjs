import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'limiter-core', rootDir: import.meta.dirname };
