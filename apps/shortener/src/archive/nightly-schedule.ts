import type { Logger } from '@gatepost/service-kit';
import type { NightlyJob } from './nightly-job.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** A service that is started and stopped every day would never be up at night. */
const AFTER_START_MS = 60_000;

/** When the next run is due, milliseconds. */
export function nextRunAt(now: number, hour: number): number {
  const today = Math.floor(now / DAY_MS) * DAY_MS + hour * HOUR_MS;
  return today > now ? today : today + DAY_MS;
}

/** Runs the nightly job in this process: a minute after the start, and every night. */
export class NightlySchedule {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly job: NightlyJob,
    private readonly hour: number,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.wait(AFTER_START_MS);
  }

  async stop(): Promise<void> {
    clearTimeout(this.timer);
    this.job.stop();
    await this.running;
  }

  private wait(delayMs: number): void {
    this.timer = setTimeout(() => {
      this.running = this.job.run(new Date()).catch((error: Error) => {
        this.logger.error({ err: error }, 'the nightly job failed');
      });
      this.wait(nextRunAt(Date.now(), this.hour) - Date.now());
    }, delayMs);
    this.timer.unref();
  }
}
