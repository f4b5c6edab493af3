export { AppFailed, AppProcess } from './app-process.ts';
export { Platform, type PlatformOptions } from './platform.ts';
export {
  APPS,
  type AppName,
  type AppPorts,
  type PlatformSettings,
  readSettings,
  SettingRefused,
} from './settings.ts';
export { startTestPlatform, type TestPlatform } from './test-platform.ts';
