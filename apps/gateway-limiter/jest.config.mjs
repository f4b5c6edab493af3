import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'gateway-limiter', rootDir: import.meta.dirname };
