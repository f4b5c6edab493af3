import type { Dashboard } from './dashboards.ts';

const WIDTH = 12;
const HEIGHT = 8;

/** Grafana's own model of a dashboard, two panels a row. */
export function toGrafana({ uid, title, panels }: Dashboard) {
  return {
    uid,
    title,
    tags: ['gatepost'],
    schemaVersion: 41,
    editable: true,
    refresh: '10s',
    time: { from: 'now-1h', to: 'now' },
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }],
    },
    panels: panels.map((panel, index) => ({
      id: index + 1,
      type: 'timeseries',
      title: panel.title,
      datasource: { type: 'prometheus', uid: '$datasource' },
      gridPos: { x: (index % 2) * WIDTH, y: Math.floor(index / 2) * HEIGHT, w: WIDTH, h: HEIGHT },
      targets: panel.series.map(({ expr, legend }, at) => ({
        refId: String.fromCharCode(65 + at),
        expr,
        legendFormat: legend,
      })),
      fieldConfig: {
        defaults: {
          unit: panel.unit,
          min: 0,
          custom: {
            fillOpacity: 8,
            lineWidth: 1.5,
            showPoints: 'never',
            ...(panel.promise === undefined ? {} : { thresholdsStyle: { mode: 'line' } }),
          },
          ...(panel.promise === undefined
            ? {}
            : {
                thresholds: {
                  mode: 'absolute',
                  steps: [
                    { color: 'green', value: null },
                    { color: 'red', value: panel.promise },
                  ],
                },
              }),
        },
        overrides: [],
      },
      options: {
        legend: { displayMode: 'list', placement: 'bottom' },
        tooltip: { mode: 'multi', sort: 'desc' },
      },
    })),
  };
}
