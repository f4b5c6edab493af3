interface Series {
  readonly expr: string;
  readonly legend: string;
}
interface Panel {
  readonly title: string;
  readonly unit: string;
  readonly series: readonly Series[];
  /** Drawn as a line across the panel: what was promised. */
  readonly promise?: number;
}
export interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const quantile = (share: number, metric: string, by = '') =>
  `histogram_quantile(${share}, sum by (le${by ? `, ${by}` : ''}) (rate(${metric}_bucket[$__rate_interval])))`;
const perSecond = (metric: string, by: string) =>
  `sum by (${by}) (rate(${metric}[$__rate_interval]))`;

const LATENCIES = (metric: string): Series[] => [
  { expr: quantile(0.5, metric), legend: 'p50' },
  { expr: quantile(0.99, metric), legend: 'p99' },
  { expr: quantile(0.999, metric), legend: 'p99.9' },
];

export const DASHBOARDS: readonly Dashboard[] = [
  {
    uid: 'gatepost-platform',
    title: 'Gatepost: the platform',
    panels: [
      {
        title: 'Requests',
        unit: 'reqps',
        series: [{ expr: perSecond('gateway_requests_total', 'route'), legend: '{{route}}' }],
      },
      {
        title: 'Errors (5xx share)',
        unit: 'percentunit',
        promise: 0.0001,
        series: [
          {
            expr: 'sum(rate(gateway_requests_total{status=~"5.."}[$__rate_interval])) / sum(rate(gateway_requests_total[$__rate_interval]))',
            legend: 'failed',
          },
        ],
      },
      {
        title: 'Error budget left, 30 days',
        unit: 'percentunit',
        series: [
          {
            expr: '1 - (sum(rate(gateway_requests_total{status=~"5.."}[30d])) / sum(rate(gateway_requests_total[30d]))) / 0.0001',
            legend: 'left',
          },
        ],
      },
      { title: 'Duration', unit: 's', series: LATENCIES('gateway_request_duration_seconds') },
      {
        title: 'Event-loop delay p99',
        unit: 's',
        series: [
          { expr: 'max by (service) (nodejs_eventloop_lag_p99_seconds)', legend: '{{service}}' },
        ],
      },
      {
        title: 'Resident memory',
        unit: 'bytes',
        series: [
          { expr: 'max by (service) (process_resident_memory_bytes)', legend: '{{service}}' },
        ],
      },
    ],
  },
  {
    uid: 'gatepost-gateway',
    title: 'Gatepost: gateway and limiter',
    panels: [
      {
        title: 'Decisions',
        unit: 'reqps',
        series: [
          { expr: perSecond('rate_limit_decisions_total', 'outcome'), legend: '{{outcome}}' },
        ],
      },
      {
        title: 'Refused',
        unit: 'reqps',
        series: [
          {
            expr: `topk(10, ${perSecond('rate_limit_rejected_total', 'key, tier')})`,
            legend: '{{key}} {{tier}}',
          },
        ],
      },
      {
        title: 'What the limiter adds',
        unit: 's',
        promise: 0.001,
        series: LATENCIES('rate_limit_decision_duration_seconds'),
      },
      { title: 'Store', unit: 's', series: LATENCIES('rate_limit_store_duration_seconds') },
      {
        title: 'Near the limit',
        unit: 'reqps',
        series: [
          {
            expr: perSecond('rate_limit_near_limit_total', 'tier, bucket'),
            legend: '{{tier}} {{bucket}}',
          },
        ],
      },
      {
        title: 'Would be refused (shadow)',
        unit: 'reqps',
        series: [
          { expr: perSecond('rate_limit_shadow_rejected_total', 'rule'), legend: '{{rule}}' },
        ],
      },
      {
        title: 'Breaker open, replication lag',
        unit: 's',
        series: [
          { expr: 'max(rate_limit_store_breaker_open)', legend: 'breaker' },
          {
            expr: 'max by (replica) (rate_limit_store_replication_lag_seconds)',
            legend: 'lag {{replica}}',
          },
        ],
      },
      {
        title: 'Upstreams: failures, second attempts',
        unit: 'reqps',
        series: [
          {
            expr: perSecond('gateway_failures_total', 'route, reason'),
            legend: '{{route}} {{reason}}',
          },
          {
            expr: perSecond('gateway_upstream_retries_total', 'route'),
            legend: '{{route}} second attempt',
          },
        ],
      },
    ],
  },
  {
    uid: 'gatepost-shortener',
    title: 'Gatepost: links and clicks',
    panels: [
      {
        title: 'Redirects',
        unit: 'reqps',
        series: [
          { expr: perSecond('shortener_redirects_total', 'outcome'), legend: '{{outcome}}' },
        ],
      },
      {
        title: 'Where a code was found',
        unit: 'reqps',
        series: [{ expr: perSecond('shortener_link_lookups_total', 'level'), legend: '{{level}}' }],
      },
      {
        title: 'Redirect duration at the gateway',
        unit: 's',
        promise: 0.05,
        series: [
          {
            expr: 'histogram_quantile(0.99, sum by (le) (rate(gateway_request_duration_seconds_bucket{route="shortener"}[$__rate_interval])))',
            legend: 'p99',
          },
        ],
      },
      {
        title: 'Clicks: recorded, delivered, dropped',
        unit: 'short',
        series: [
          { expr: 'sum(rate(click_events_recorded_total[$__rate_interval]))', legend: 'recorded' },
          {
            expr: 'sum(rate(click_events_delivered_total[$__rate_interval]))',
            legend: 'delivered',
          },
          { expr: perSecond('click_events_dropped_total', 'reason'), legend: 'dropped {{reason}}' },
        ],
      },
      {
        title: 'Worker: behind',
        unit: 'short',
        series: [{ expr: 'sum(click_worker_lag_events)', legend: 'events' }],
      },
      {
        title: 'Worker: counted',
        unit: 'short',
        series: [{ expr: perSecond('click_worker_events_total', 'result'), legend: '{{result}}' }],
      },
      {
        title: 'Caches not yet told',
        unit: 'short',
        series: [{ expr: 'max(shortener_invalidations_pending)', legend: 'pending' }],
      },
      {
        title: 'Destination scans',
        unit: 'short',
        series: [{ expr: perSecond('shortener_scans_total', 'verdict'), legend: '{{verdict}}' }],
      },
    ],
  },
  {
    uid: 'gatepost-identity',
    title: 'Gatepost: identity',
    panels: [
      {
        title: 'Issued',
        unit: 'short',
        series: [{ expr: perSecond('auth_tokens_issued_total', 'kind'), legend: '{{kind}}' }],
      },
      {
        title: 'Protocol errors',
        unit: 'short',
        series: [
          {
            expr: perSecond('auth_protocol_errors_total', 'endpoint, error'),
            legend: '{{endpoint}} {{error}}',
          },
        ],
      },
      {
        title: 'Audited events',
        unit: 'short',
        series: [{ expr: perSecond('auth_audit_events_total', 'event'), legend: '{{event}}' }],
      },
      {
        title: 'Duration at the gateway',
        unit: 's',
        series: [
          {
            expr: 'histogram_quantile(0.99, sum by (le) (rate(gateway_request_duration_seconds_bucket{route="auth"}[$__rate_interval])))',
            legend: 'p99',
          },
        ],
      },
      {
        title: 'Purged rows',
        unit: 'short',
        series: [{ expr: perSecond('auth_purged_rows_total', 'what'), legend: '{{what}}' }],
      },
    ],
  },
];
