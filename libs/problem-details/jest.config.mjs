import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'problem-details', rootDir: import.meta.dirname };
