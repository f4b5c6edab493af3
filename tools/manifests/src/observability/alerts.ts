/** An alert: what hurts, when a person should know, and where the runbook says what to do. */
export interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: 'page' | 'ticket';
  readonly summary: string;
}

/** 99.99 % over 30 days: 4.32 minutes of errors a month. */
const ERROR_BUDGET = 0.0001;

/** Share of requests the platform itself failed: 5xx. A 429 is an answer, and 499 is a client that left. */
const errorRatio = (window: string) =>
  `sum(rate(gateway_requests_total{status=~"5.."}[${window}])) / sum(rate(gateway_requests_total[${window}]))`;

/** Multi-window burn rates (Site Reliability Workbook, chapter 5): the long window is sure, the short one ends the alert soon. */
const burns = (factor: number, long: string, short: string) => {
  const most = Number((factor * ERROR_BUDGET).toPrecision(3));
  return `(${errorRatio(long)}) > ${most} and (${errorRatio(short)}) > ${most}`;
};

export const ALERTS: readonly Alert[] = [
  {
    alert: 'GatepostErrorBudgetBurnsFast',
    expr: burns(14.4, '1h', '5m'),
    for: '2m',
    severity: 'page',
    summary: 'At this rate a month of error budget is gone in two days',
  },
  {
    alert: 'GatepostErrorBudgetBurns',
    expr: burns(6, '6h', '30m'),
    for: '15m',
    severity: 'page',
    summary: 'At this rate a month of error budget is gone in five days',
  },
  {
    alert: 'GatepostErrorBudgetBurnsSlowly',
    expr: burns(1, '3d', '6h'),
    for: '1h',
    severity: 'ticket',
    summary: 'The error budget of the month will just be used up',
  },
  {
    alert: 'GatepostRedirectsAreSlow',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(gateway_request_duration_seconds_bucket{route="shortener"}[5m]))) > 0.05',
    for: '10m',
    severity: 'page',
    summary: 'One redirect in a hundred takes more than 50 ms',
  },
  {
    alert: 'GatepostLimiterIsSlow',
    expr: 'histogram_quantile(0.99, sum by (le) (rate(rate_limit_decision_duration_seconds_bucket[5m]))) > 0.001',
    for: '10m',
    severity: 'ticket',
    summary: 'The limiter adds more than 1 ms to one request in a hundred',
  },
  {
    alert: 'GatepostLimiterStoreIsAway',
    expr: 'max(rate_limit_store_breaker_open) > 0',
    for: '1m',
    severity: 'page',
    summary: 'Limits are decided by the outage policy, not by the shared store',
  },
  {
    alert: 'GatepostLimiterReplicaIsBehind',
    expr: 'max(rate_limit_store_replication_lag_seconds) > 5',
    for: '5m',
    severity: 'ticket',
    summary: 'A failover now would forget seconds of usage',
  },
  {
    alert: 'GatepostUpstreamIsPutAside',
    expr: 'sum by (pool) (rate(gateway_upstream_ejections_total[5m])) > 0',
    for: '10m',
    severity: 'ticket',
    summary: 'A peer fails again and again and gets no requests',
  },
  {
    alert: 'GatepostClicksAreDropped',
    expr: 'sum(rate(click_events_dropped_total[5m])) > 0',
    for: '2m',
    severity: 'page',
    summary: 'Clicks are lost: the buffer is full while Kafka cannot take them',
  },
  {
    alert: 'GatepostClicksWait',
    expr: 'sum(click_worker_lag_events) > 100000',
    for: '15m',
    severity: 'ticket',
    summary: 'Statistics are behind: the worker does not keep up',
  },
  {
    alert: 'GatepostClicksWereLost',
    expr: 'increase(click_worker_lost_events_total[1h]) > 0',
    for: '0m',
    severity: 'page',
    summary: 'The broker deleted clicks before they were counted',
  },
  {
    alert: 'GatepostDeadLetters',
    expr: 'sum(increase(click_worker_dead_letters_total[1h])) > 0',
    for: '0m',
    severity: 'ticket',
    summary: 'Messages on the click topic that are no click events',
  },
  {
    alert: 'GatepostInvalidationsWait',
    expr: 'max(shortener_invalidations_pending) > 0',
    for: '1m',
    severity: 'page',
    summary: 'Edited or blocked links are still served from caches',
  },
  {
    alert: 'GatepostProtocolFails',
    expr: 'sum(rate(auth_protocol_errors_total{error="server_error"}[5m])) > 0',
    for: '2m',
    severity: 'page',
    summary: 'The authorization server fails requests',
  },
  {
    alert: 'GatepostEventLoopIsLate',
    expr: 'max by (service) (nodejs_eventloop_lag_p99_seconds) > 0.1',
    for: '5m',
    severity: 'ticket',
    summary: 'A process is busy: everything it serves waits',
  },
  {
    alert: 'GatepostTargetIsDown',
    expr: 'up{job=~"gatepost.*"} == 0',
    for: '2m',
    severity: 'page',
    summary: 'A process does not answer its scraper',
  },
];

/** The rule file of Prometheus; `promtool` tests it, and the PrometheusRule of Kubernetes carries the same groups. */
export function toRuleGroups(alerts: readonly Alert[]) {
  return {
    groups: [
      {
        name: 'gatepost',
        rules: alerts.map(({ alert, expr, for: duration, severity, summary }) => ({
          alert,
          expr,
          for: duration,
          labels: { severity },
          annotations: {
            summary,
            runbook: `k8s/components/observability/RUNBOOK.md#${alert.toLowerCase()}`,
          },
        })),
      },
    ],
  };
}
