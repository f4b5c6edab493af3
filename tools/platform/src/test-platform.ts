import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@gatepost/test-services';
import { AppProcess } from './app-process.ts';
import { Platform } from './platform.ts';
import { APPS, type AppName, appEnvironment, type PlatformSettings } from './settings.ts';

export interface TestPlatform {
  readonly publicUrl: string;
  readonly settings: PlatformSettings;
  readonly platform: Platform;
  /** Log lines of the apps so far. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/**
 * The built platform on free ports, with state of its own: what e2e suites drive. `environment` goes to every app;
 * with KAFKA_BROKERS in it the click worker runs as well.
 */
export async function startTestPlatform(
  environment: Readonly<Record<string, string>> = {},
): Promise<TestPlatform> {
  const dataDir = mkdtempSync(join(tmpdir(), 'gatepost-platform-'));
  const workspace = fileURLToPath(new URL('../../..', import.meta.url));
  const settings = await freeSettings(dataDir);
  const lines: string[] = [];
  const inherited = { PATH: process.env['PATH'] ?? '', HOME: process.env['HOME'] ?? '' };
  const all = { ...inherited, MANAGEMENT_TOKEN: 'management-token-of-tests', ...environment };
  const platform = await Platform.start({
    workspace,
    settings,
    environment: all,
    onLine: (_app, line) => lines.push(line),
  });
  const stopAll = async (worker?: AppProcess) => {
    await worker?.stop();
    await platform.stop();
    rmSync(dataDir, { recursive: true, force: true });
  };
  let worker: AppProcess | undefined;
  try {
    if (environment['KAFKA_BROKERS']) worker = await startWorker(workspace, settings, all, lines);
  } catch (error) {
    await stopAll();
    throw error;
  }
  return {
    publicUrl: settings.publicUrl,
    settings,
    platform,
    lines,
    stop: () => stopAll(worker),
  };
}

async function startWorker(
  workspace: string,
  settings: PlatformSettings,
  environment: Record<string, string>,
  lines: string[],
): Promise<AppProcess> {
  const worker = new AppProcess({
    name: 'shortener-worker',
    script: join(workspace, 'apps/shortener/dist/main.js'),
    args: ['worker'],
    env: { ...appEnvironment('shortener', settings, environment), PORT: '0', MANAGEMENT_PORT: '0' },
    logFile: join(settings.dataDir, 'logs/shortener-worker.log'),
    onLine: (line) => lines.push(line),
  });
  await worker.ready;
  return worker;
}

async function freeSettings(dataDir: string): Promise<PlatformSettings> {
  const numbers = await freePorts(APPS.length * 2);
  const ports = Object.fromEntries(
    APPS.map((app, index) => [
      app,
      { port: numbers[2 * index] ?? 0, managementPort: numbers[2 * index + 1] ?? 0 },
    ]),
  ) as Record<AppName, { port: number; managementPort: number }>;
  return { publicUrl: `http://localhost:${ports['gateway-limiter'].port}`, dataDir, ports };
}
