import { join } from 'node:path';
import { joinEmbeddedPostgres } from '@gatepost/embedded-postgres';
import { AppProcess } from './app-process.ts';
import { APPS, type AppName, appEnvironment, type PlatformSettings } from './settings.ts';

export interface PlatformOptions {
  readonly workspace: string;
  readonly settings: PlatformSettings;
  /** What the apps get besides what the platform decides. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A person reads these. */
  readonly say?: (text: string) => void;
  /** A log line of an app. */
  readonly onLine?: (app: AppName, line: string) => void;
}

/** The three apps, running; and the embedded database, where no DATABASE_URL names another. */
export class Platform {
  private readonly apps = new Map<AppName, AppProcess>();
  private stopping = false;

  private constructor(
    private readonly options: PlatformOptions,
    private readonly leaveDatabase: () => Promise<void>,
  ) {}

  /** Starts everything; when one part fails, what had started is stopped again before the error is thrown. */
  static async start(options: PlatformOptions): Promise<Platform> {
    const { say = () => undefined, settings, environment } = options;
    let leaveDatabase = async (): Promise<void> => undefined;
    if (!environment['DATABASE_URL']) {
      say('starting PostgreSQL');
      // Joined here as well, so that the server outlives the restart of an app.
      const database = await joinEmbeddedPostgres({
        dataDir: join(settings.dataDir, 'postgres'),
        database: 'postgres',
      });
      leaveDatabase = () => database.leave();
    }
    const platform = new Platform(options, leaveDatabase);
    try {
      say(`starting ${APPS.join(', ')}`);
      await Promise.all(APPS.map((app) => platform.startApp(app)));
    } catch (error) {
      await platform.stop();
      throw error;
    }
    for (const app of APPS) platform.watch(app);
    return platform;
  }

  app(name: AppName): AppProcess {
    const app = this.apps.get(name);
    if (!app) throw new Error(`${name} is not running`);
    return app;
  }

  /** Stops and starts one app, as a rolling update would. */
  async restartApp(name: AppName): Promise<void> {
    const old = this.app(name);
    this.apps.delete(name);
    await old.stop();
    await this.startApp(name);
    this.watch(name);
  }

  /** Stops the gateway first, so that no request meets a closed service; then the services, then the database. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.apps.get('gateway-limiter')?.stop();
    await Promise.all([...this.apps.values()].map((app) => app.stop()));
    await this.leaveDatabase();
  }

  private async startApp(name: AppName): Promise<void> {
    const { workspace, settings, environment, onLine } = this.options;
    const app = new AppProcess({
      name,
      script: join(workspace, 'apps', name, 'dist', 'main.js'),
      env: appEnvironment(name, settings, environment),
      logFile: join(settings.dataDir, 'logs', `${name}.log`),
      ...(onLine ? { onLine: (line: string) => onLine(name, line) } : {}),
    });
    this.apps.set(name, app);
    await app.ready;
  }

  /** An app that dies is started again, after a pause that grows while it keeps dying. */
  private watch(name: AppName, failures = 0): void {
    const app = this.app(name);
    const since = Date.now();
    void app.exited.then(async (code) => {
      if (this.stopping || this.apps.get(name) !== app) return;
      const inARow = Date.now() - since > 60_000 ? 1 : failures + 1;
      this.options.say?.(`${name} stopped unexpectedly (exit code ${code}), starting it again`);
      await new Promise((resolve) =>
        setTimeout(resolve, Math.min(250 * 2 ** (inARow - 1), 10_000)),
      );
      if (this.stopping) return;
      await this.startApp(name).catch(() => undefined); // watched like any other death
      if (!this.stopping) this.watch(name, inARow);
    });
  }
}
