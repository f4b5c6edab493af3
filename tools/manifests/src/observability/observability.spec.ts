import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeWith, promtoolPath } from '@gatepost/test-services';
import { ALERTS } from './alerts.ts';
import { DASHBOARDS } from './dashboards.ts';
import { observabilityFiles } from './files.ts';

const workspace = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string) => readFileSync(join(workspace, path), 'utf8');
const tests = fileURLToPath(new URL('alerts.test.yaml', import.meta.url));
const component = 'k8s/components/observability';

describe('the observability component', () => {
  it.each(Object.entries(observabilityFiles()))(
    '%s is what `npm run generate` writes',
    (path, content) => {
      expect(read(path)).toBe(content);
    },
  );

  it.each(ALERTS.map(({ alert }) => alert))(
    '%s has a section in the runbook and a case in which it fires',
    (alert) => {
      expect(read(`${component}/RUNBOOK.md`)).toContain(`\n## ${alert}\n`);
      expect(readFileSync(tests, 'utf8')).toMatch(
        new RegExp(`alertname: ${alert}, exp_alerts: \\[\\{`),
      );
    },
  );

  it('asks only for metrics that the services have', () => {
    const sources = ['apps', 'libs']
      .flatMap((folder) =>
        readdirSync(join(workspace, folder), { recursive: true, encoding: 'utf8' }).map(
          (file) => `${folder}/${file}`,
        ),
      )
      .filter(
        (file) => /\/src\/.*\.ts$/.test(file) && !/node_modules|generated|\.spec\.ts$/.test(file),
      )
      .map(read)
      .join('\n');
    const queries = [
      ...ALERTS.map(({ expr }) => expr),
      ...DASHBOARDS.flatMap(({ panels }) =>
        panels.flatMap(({ series }) => series.map(({ expr }) => expr)),
      ),
    ];
    const asked = new Set(
      queries.flatMap(
        (expr) => expr.match(/\b(?:gateway|rate_limit|click|shortener|auth)_[a-z_]+\b/g) ?? [],
      ),
    );
    const missing = [...asked]
      .map((name) => name.replace(/_bucket$/, ''))
      .filter((name) => !sources.includes(`'${name}'`));
    expect(missing).toEqual([]);
  });
});

describeWith(['promtool'], 'the alert rules', () => {
  it('fire when they should, and not otherwise', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gatepost-alerts-'));
    try {
      copyFileSync(join(workspace, component, 'alerts.yaml'), join(folder, 'alerts.yaml'));
      copyFileSync(tests, join(folder, 'alerts.test.yaml'));
      execFileSync(promtoolPath(), ['check', 'rules', join(folder, 'alerts.yaml')], {
        stdio: 'pipe',
      });
      execFileSync(promtoolPath(), ['test', 'rules', join(folder, 'alerts.test.yaml')], {
        stdio: 'pipe',
      });
    } catch (error) {
      const { stdout, stderr } = error as { stdout?: Buffer; stderr?: Buffer };
      throw new Error(`${stdout ?? ''}${stderr ?? error}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
