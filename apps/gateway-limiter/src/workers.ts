import cluster, { type Worker } from 'node:cluster';
import type { Logger } from '@gatepost/service-kit';
import { collectFromWorkers } from './observing/worker-metrics.ts';

/** What a worker says once it listens; the supervisor of a single process is told the same. */
interface Ready {
  readonly type: 'ready';
  readonly port: number;
  readonly managementPort: number;
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5_000;
/** A worker that ran this long did not fail by starting. */
const SETTLED_MS = 10_000;

/**
 * Keeps `count` workers running on one port. A worker that dies is replaced, after a pause that grows while they keep
 * dying. SIGHUP replaces all, one by one and without a gap; SIGTERM and SIGINT let all finish what they have begun.
 */
export class Workers {
  private readonly ready = new Set<Worker>();
  private pauseMs = FIRST_PAUSE_MS;
  private hasStarted = false;
  private isStopping = false;
  private isReplacing = false;

  constructor(
    private readonly count: number,
    private readonly logger: Logger,
    private readonly tell: (message: Ready) => void,
    private readonly end: (code: number) => void,
  ) {}

  start(): void {
    cluster.on('message', (worker, message: Ready) => {
      if (message?.type === 'ready') this.noteReady(worker, message);
    });
    cluster.on('exit', (worker, code) => this.noteExit(worker, code));
    for (let index = 0; index < this.count; index++) this.fork();
  }

  /** Every worker finishes what is in flight and ends. */
  stop(reason: string): void {
    if (this.isStopping) return;
    this.isStopping = true;
    this.logger.info({ reason, workers: this.all.length }, 'workers are stopping');
    for (const worker of this.all) worker.process.kill('SIGTERM');
    if (this.all.length === 0) this.end(0);
  }

  /** One after the other: the new one serves before the old one stops. */
  async replaceAll(): Promise<void> {
    if (this.isReplacing || this.isStopping) return;
    this.isReplacing = true;
    try {
      for (const old of this.all) {
        const fresh = this.fork();
        const isServing = await this.becomesReady(fresh);
        if (!isServing) {
          this.logger.error('a new worker did not start; the others stay');
          return;
        }
        const gone = new Promise((resolve) => old.once('exit', resolve));
        old.process.kill('SIGTERM');
        await gone;
      }
      this.logger.info({ workers: this.count }, 'workers replaced');
    } finally {
      this.isReplacing = false;
    }
  }

  private get all(): Worker[] {
    return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  }

  private fork(): Worker {
    const worker = cluster.fork();
    const settled = setTimeout(() => {
      this.pauseMs = FIRST_PAUSE_MS;
    }, SETTLED_MS);
    settled.unref();
    worker.once('exit', () => clearTimeout(settled));
    return worker;
  }

  private noteReady(worker: Worker, message: Ready): void {
    this.ready.add(worker);
    if (this.hasStarted || this.ready.size < this.count) return;
    this.hasStarted = true;
    this.logger.info({ workers: this.count, port: message.port }, 'workers are serving');
    this.tell(message);
  }

  private noteExit(worker: Worker, code: number | null): void {
    this.ready.delete(worker);
    const left = this.all.length;
    if (this.isStopping) {
      if (left === 0) this.end(0);
      return;
    }
    if (!this.hasStarted) {
      // A first start that fails fails for all of them: a faulty environment, a port in use. It has said why.
      this.isStopping = true;
      for (const each of this.all) each.process.kill('SIGTERM');
      this.end(code || 1);
      return;
    }
    if (left >= this.count || this.isReplacing) return;
    this.logger.error({ pid: worker.process.pid, code }, 'a worker died and is replaced');
    setTimeout(() => {
      if (!this.isStopping && this.all.length < this.count) this.fork();
    }, this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }

  private becomesReady(worker: Worker): Promise<boolean> {
    return new Promise((resolve) => {
      worker.on('message', (message: Ready) => {
        if (message?.type === 'ready') resolve(true);
      });
      worker.once('exit', () => resolve(false));
    });
  }
}

/** Takes this process for the supervisor of `count` workers, unless it is one of them or there is but one. */
export function superviseWorkers(count: number, logger: Logger): boolean {
  if (count === 1 || !cluster.isPrimary) return false;
  const workers = new Workers(
    count,
    logger,
    (message) => process.send?.(message),
    (code) => {
      logger.flush?.();
      process.exit(code);
    },
  );
  for (const signal of ['SIGTERM', 'SIGINT'] as const)
    process.on(signal, () => workers.stop(signal));
  process.on('SIGHUP', () => void workers.replaceAll());
  process.on('disconnect', () => workers.stop('supervisor gone'));
  collectFromWorkers();
  workers.start();
  return true;
}
