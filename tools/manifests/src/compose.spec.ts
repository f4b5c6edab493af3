import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, promtoolPath } from '@gatepost/test-services';
import { parse } from 'yaml';
import { appOfImage, commandsOf, runApp } from './apps.ts';
import {
  type ComposeService,
  composeText,
  readEnvExample,
  readServices,
  variablesOf,
  WORKSPACE,
} from './compose.ts';

/** Empty by default, so that the schema would not show them: their values as an operator would set them. */
const SET = {
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://otel-collector:4318',
  ENCRYPTION_KEYS: Buffer.alloc(32, 7).toString('base64'),
  COOKIE_KEYS: 'a-cookie-key-of-this-spec-alone',
  LIMITER_SECRET: 'a-limiter-secret-of-this-spec-alone',
};
/** Their images hold nothing that could ask: neither a shell nor a client. */
const WITHOUT_HEALTHCHECK = ['otel-collector', 'jaeger'];

const services = readServices(SET);
const entries = Object.entries(services);
const ours = entries.filter(([, { image }]) => appOfImage(image));
const isOneShot = ({ restart }: ComposeService) => restart === 'no';

describe('docker-compose.yml', () => {
  it.each(entries)('%s runs an image of one version', (_name, { image }) => {
    expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?$/);
  });

  it('opens ports on the loopback address alone, each under a variable', () => {
    const ports = [...composeText().matchAll(/^ +- (\S*\d+:\S*)$/gm)].map(([, port]) => port);
    expect(ports).toHaveLength(entries.flatMap(([, one]) => one.ports ?? []).length);
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\$\{\w+:-\d+\}:\d+$/);
  });

  it('reads exactly the values of .env.example, with the same defaults', () => {
    const read = variablesOf(composeText()).map(({ name, initially }) => [name, initially]);
    expect(Object.fromEntries(read)).toEqual(readEnvExample());
    // One name, one default, wherever it is read.
    expect(new Set(read.map(String)).size).toBe(Object.keys(readEnvExample()).length);
  });

  it.each(entries)('%s waits for what tells that it is ready', (_name, { depends_on = {} }) => {
    for (const [name, { condition }] of Object.entries(depends_on)) {
      const needed = services[name] as ComposeService;
      if (condition === 'service_completed_successfully') expect(isOneShot(needed)).toBe(true);
      if (condition === 'service_healthy')
        expect(needed.healthcheck ?? appOfImage(needed.image)).toBeDefined();
    }
  });

  it('every service that stays tells whether it is well', () => {
    const silent = entries
      .filter(([, service]) => !isOneShot(service))
      // The image of an app brings a check of its own.
      .filter(([, { healthcheck, image }]) => !healthcheck && !appOfImage(image))
      .map(([name]) => name);
    expect(silent).toEqual(WITHOUT_HEALTHCHECK);
    expect(readFileSync(join(WORKSPACE, 'Dockerfile'), 'utf8')).toContain('\nHEALTHCHECK ');
  });

  it('mounts files that are there, read-only', () => {
    const mounts = entries.flatMap(([, { volumes = [] }]) => volumes);
    for (const mount of mounts.filter((one) => one.startsWith('.'))) {
      const [source = '', , mode] = mount.split(':');
      expect([mount, existsSync(join(WORKSPACE, source)), mode]).toEqual([mount, true, 'ro']);
    }
  });

  it('creates the topics of the contract, one-shot, and names what waits for them', () => {
    const { channels } = JSON.parse(
      readFileSync(join(WORKSPACE, 'apps/shortener/asyncapi.json'), 'utf8'),
    ) as { channels: Record<string, { address: string }> };
    const created = [
      ...String(services['kafka-topics']?.command).matchAll(/create (\S+\.\S+) \d/g),
    ];
    expect(created.map(([, topic]) => topic).sort()).toEqual(
      Object.values(channels)
        .map(({ address }) => address)
        .sort(),
    );
    for (const name of ['shortener', 'shortener-worker'])
      expect(services[name]?.depends_on).toHaveProperty('kafka-topics');
  });

  describe.each(ours)('%s', (_name, service) => {
    const app = appOfImage(service.image) ?? '';
    const { environment = {}, command = [] } = service;

    it('has what its schema knows, and values that it accepts', () => {
      const { exitCode, out, err } = runApp(app, ['--print-config'], environment);
      expect([exitCode, err.replace(/^oidc-provider WARNING.*\n/, '')]).toEqual([0, '']);
      const known = Object.keys(JSON.parse(out));
      expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    });

    it('is called by a command that it has', () => {
      expect(['', ...commandsOf(app)]).toContain(command[0] ?? '');
    });

    it('is built here and asked of no registry', () => {
      expect(service).toMatchObject({ pull_policy: 'never' });
      expect(entries.some(([, one]) => one.image === service.image && one.build)).toBe(true);
    });

    it('writes nothing, gains nothing and keeps no capability', () => {
      expect(service).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    });
  });

  it('keeps the hours of the archive in a way that the archive understands', () => {
    const [command, ...flags] = services['shortener-archive']?.command ?? [];
    expect([command, flags]).toEqual(['archive', ['--every-hours=24']]);
    const { exitCode, err } = runApp('shortener', ['archive', '--every-hours=0']);
    expect([exitCode, err]).toEqual([1, expect.stringContaining('--every-hours must be')]);
  });

  it('in production refuses its own defaults, by name', () => {
    const inProduction = readServices({ GATEPOST_ENV: 'production' });
    const refused = Object.entries(inProduction)
      .filter(([name]) => ['auth-server', 'shortener', 'gateway-limiter'].includes(name))
      .map(([name, { environment = {} }]) => runApp(name, ['--print-config'], environment));
    expect(refused.map(({ exitCode }) => exitCode)).toEqual([78, 78, 78]);
    const faults = refused.map(({ err }) => err).join();
    for (const name of [
      'DEMO',
      'PUBLIC_URL',
      'MANAGEMENT_TOKEN',
      'ENCRYPTION_KEYS',
      'COOKIE_KEYS',
      'LIMITER_SECRET',
    ])
      expect(faults).toContain(`${name}: `);
  });
});

describeWith(['promtool'], 'the Prometheus of docker-compose.yml', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatepost-prometheus-'));
  const component = join(WORKSPACE, 'k8s/components/observability');
  afterAll(() => rmSync(folder, { recursive: true }));

  it('has a configuration that Prometheus accepts, with the alert rules', () => {
    copyFileSync(join(component, 'compose/prometheus.yaml'), join(folder, 'prometheus.yaml'));
    copyFileSync(join(component, 'alerts.yaml'), join(folder, 'alerts.yaml'));
    const checked = execFileSync(promtoolPath(), [
      'check',
      'config',
      join(folder, 'prometheus.yaml'),
    ]);
    expect(checked.toString()).toMatch(/1 rule files found[\s\S]*SUCCESS: \d+ rules found/);
  });

  it('scrapes the management doors of all services that have one', () => {
    const { scrape_configs: jobs } = parse(
      readFileSync(join(component, 'compose/prometheus.yaml'), 'utf8'),
    );
    const ports: Record<string, number> = {
      'gateway-limiter': 9080,
      'auth-server': 9081,
      shortener: 9082,
    };
    const doors = ours
      .filter(([, service]) => !isOneShot(service) && service.healthcheck?.disable !== true)
      .map(([name, { image }]) => `${name}:${ports[appOfImage(image) ?? '']}`);
    expect(jobs[0].static_configs[0].targets.sort()).toEqual(doors.sort());
  });
});
