import cluster, { type Worker } from 'node:cluster';
import type { Registry } from '@gatepost/service-kit';
import { AggregatorRegistry, type MetricObject } from 'prom-client';

const LIMIT_MS = 2_000;

/** What is said between a worker and its supervisor. `all?` is answered by `all`, `own?` by `own`. */
type Message =
  | { readonly type: 'metrics: all?'; readonly id: number }
  | { readonly type: 'metrics: all'; readonly id: number; readonly text: string }
  | { readonly type: 'metrics: own?' }
  | { readonly type: 'metrics: own'; readonly metrics: MetricObject[] };

/**
 * The numbers of all workers together, those that ended included: a counter that went down with a worker would look to
 * Prometheus like a restart of them all.
 */
export class AllMetrics {
  private readonly latest = new Map<number, MetricObject[]>();
  private ended: MetricObject[] = [];

  note(worker: number, metrics: MetricObject[]): void {
    this.latest.set(worker, metrics);
  }

  /** Keeps what a worker had counted; its gauges end with it. */
  async retire(worker: number): Promise<void> {
    const last = this.latest.get(worker);
    this.latest.delete(worker);
    if (!last) return;
    // prom-client gives the type as a word.
    const counted = last.filter(({ type }) => /^(counter|histogram)$/.test(String(type)));
    this.ended = await AggregatorRegistry.aggregate([this.ended, counted]).getMetricsAsJSON();
  }

  async toText(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.latest.values(), this.ended]).metrics();
  }
}

/** In the supervisor: collects the numbers of all workers whenever one of them is scraped. */
export function collectFromWorkers(): void {
  const all = new AllMetrics();
  let answered: (() => void) | undefined;
  const missing = new Set<number>();

  async function collect(): Promise<string> {
    const done = new Promise<void>((resolve) => {
      answered = resolve;
      setTimeout(resolve, LIMIT_MS).unref();
    });
    for (const worker of Object.values(cluster.workers ?? {})) {
      if (!worker?.isConnected()) continue;
      missing.add(worker.id);
      worker.send({ type: 'metrics: own?' } satisfies Message);
    }
    await done;
    return all.toText();
  }

  cluster.on('message', (worker: Worker, message: Message) => {
    if (message?.type === 'metrics: own') {
      all.note(worker.id, message.metrics);
      missing.delete(worker.id);
      if (missing.size === 0) answered?.();
    } else if (message?.type === 'metrics: all?') {
      const { id } = message;
      void collect().then((text) => {
        if (worker.isConnected()) worker.send({ type: 'metrics: all', id, text } satisfies Message);
      });
    }
  });
  cluster.on('exit', (worker) => {
    missing.delete(worker.id);
    if (missing.size === 0) answered?.();
    void all.retire(worker.id);
  });
}

/**
 * In a worker: each scrape meets any one of the workers, so `/metrics` answers for all of them. Without the
 * supervisor's answer in time: for itself. Gives what is to be done before the end: the last numbers are handed over.
 */
export function shareMetrics(metrics: Registry): () => Promise<void> {
  if (!cluster.isWorker) return async () => undefined;
  const ownText = metrics.metrics.bind(metrics);
  const waiting = new Map<number, (text: string) => void>();
  let last = 0;
  const tellOwn = async (): Promise<void> => {
    const own = await metrics.getMetricsAsJSON();
    if (process.connected) process.send?.({ type: 'metrics: own', metrics: own } satisfies Message);
  };
  process.on('message', (message: Message) => {
    if (message?.type === 'metrics: all') waiting.get(message.id)?.(message.text);
    if (message?.type === 'metrics: own?') void tellOwn();
  });
  metrics.metrics = async () => {
    const id = ++last;
    const text = await new Promise<string | undefined>((resolve) => {
      waiting.set(id, resolve);
      setTimeout(() => resolve(undefined), 2 * LIMIT_MS).unref();
      process.send?.({ type: 'metrics: all?', id } satisfies Message);
    });
    waiting.delete(id);
    return text ?? ownText();
  };
  return tellOwn;
}
