import { stringify } from 'yaml';
import { ALERTS, toRuleGroups } from './alerts.ts';
import { DASHBOARDS } from './dashboards.ts';
import { toGrafana } from './grafana.ts';

const NOTE =
  '# Generated from tools/manifests/src/observability; `npm run generate` writes it, a test holds it equal.\n';

/** Every generated file of the observability component, by its path from the root of the workspace. */
export function observabilityFiles(): Record<string, string> {
  const folder = 'k8s/components/observability';
  const groups = toRuleGroups(ALERTS);
  const rule = {
    apiVersion: 'monitoring.coreos.com/v1',
    kind: 'PrometheusRule',
    metadata: { name: 'gatepost', labels: { 'app.kubernetes.io/part-of': 'gatepost' } },
    spec: groups,
  };
  return {
    [`${folder}/alerts.yaml`]: NOTE + stringify(groups, { lineWidth: 0 }),
    [`${folder}/prometheus-rule.yaml`]: NOTE + stringify(rule, { lineWidth: 0 }),
    ...Object.fromEntries(
      DASHBOARDS.map((dashboard) => [
        `${folder}/dashboards/${dashboard.uid}.json`,
        `${JSON.stringify(toGrafana(dashboard), null, 2)}\n`,
      ]),
    ),
  };
}
