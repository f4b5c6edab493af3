import preset from '../../jest.preset.mjs';

export default { ...preset, displayName: 'manifests', rootDir: import.meta.dirname };
