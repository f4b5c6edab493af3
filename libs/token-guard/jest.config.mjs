import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'token-guard', rootDir: import.meta.dirname };
