import { collectDefaultMetrics, Registry } from 'prom-client';

/** A registry with the process's own metrics: memory, CPU, event-loop delay, garbage collection. */
export function createMetrics(service: string): Registry {
  const metrics = new Registry();
  metrics.setDefaultLabels({ service });
  collectDefaultMetrics({ register: metrics, eventLoopMonitoringPrecision: 20 });
  return metrics;
}

export type { Registry } from 'prom-client';
