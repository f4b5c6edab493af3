import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTestDatabase, freePorts, startKafka, startRedis } from '@gatepost/test-services';
import { App, type AppOptions } from './app.ts';

export interface StageOptions {
  /** For logs and files of this scenario. */
  readonly folder: string;
  readonly kafkaAwaySeconds: number;
  readonly say: (text: string) => void;
}

/** Everything that one scenario starts, and the way to end it. */
export class Stage {
  private readonly endings: (() => unknown)[] = [];

  constructor(readonly options: StageOptions) {
    rmSync(options.folder, { recursive: true, force: true });
    mkdirSync(options.folder, { recursive: true });
  }

  say(text: string): void {
    this.options.say(text);
  }

  /** Has something ended with the scenario; the last one first. */
  onEnd(end: () => unknown): void {
    this.endings.push(end);
  }

  /** Starts a service process on ports that stay its own. */
  async startApp(options: Omit<AppOptions, 'ports' | 'logFolder'>): Promise<App> {
    const app = await this.prepareApp(options);
    await app.start();
    return app;
  }

  /** Ports are known before the process starts: whoever stands in front may be told first. */
  async prepareApp(options: Omit<AppOptions, 'ports' | 'logFolder'>): Promise<App> {
    const [port = 0, managementPort = 0] = await freePorts(2);
    const app = new App({
      ...options,
      ports: { port, managementPort },
      logFolder: this.options.folder,
    });
    this.onEnd(() => app.end());
    return app;
  }

  /** A fresh database on the shared PostgreSQL. */
  async createDatabase(): Promise<string> {
    const database = await createTestDatabase();
    this.onEnd(() => database.drop());
    return database.url;
  }

  async startRedis(...options: Parameters<typeof startRedis>): ReturnType<typeof startRedis> {
    const redis = await startRedis(...options);
    this.onEnd(() => redis.stop());
    return redis;
  }

  async startKafka(): ReturnType<typeof startKafka> {
    const kafka = await startKafka();
    this.onEnd(() => kafka.stop());
    return kafka;
  }

  /** Writes a file of the scenario's own and gives its path. */
  writeFile(name: string, content: unknown): string {
    const path = join(this.options.folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, null, 2));
    return path;
  }

  async end(): Promise<void> {
    for (let end = this.endings.pop(); end !== undefined; end = this.endings.pop()) {
      try {
        await end();
      } catch (error) {
        this.say(`could not be ended: ${(error as Error).message}`);
      }
    }
  }
}
