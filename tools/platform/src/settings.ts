import { join, resolve } from 'node:path';

export const APPS = ['auth-server', 'shortener', 'gateway-limiter'] as const;
export type AppName = (typeof APPS)[number];

export interface AppPorts {
  readonly port: number;
  readonly managementPort: number;
}

/** Where the platform listens and keeps its state. */
export interface PlatformSettings {
  readonly publicUrl: string;
  readonly dataDir: string;
  readonly ports: Readonly<Record<AppName, AppPorts>>;
}

/** A setting that cannot be used, in one sentence that names the variable. */
export class SettingRefused extends Error {
  readonly exitCode = 78;
}

type Source = Readonly<Record<string, string | undefined>>;

/** Reads the settings of `npm start`. Everything else in the environment goes to the apps as it is. */
export function readSettings(source: Source, workspace: string): PlatformSettings {
  const gatewayPort = portOf(source, 'GATEWAY_PORT', portOfUrl(source['PUBLIC_URL']) ?? 8080);
  return {
    publicUrl: source['PUBLIC_URL'] || `http://localhost:${gatewayPort}`,
    dataDir: resolve(source['DATA_DIR'] || join(workspace, '.data')),
    ports: {
      'gateway-limiter': {
        port: gatewayPort,
        managementPort: portOf(source, 'GATEWAY_MANAGEMENT_PORT', 9080),
      },
      'auth-server': {
        port: portOf(source, 'AUTH_PORT', 8081),
        managementPort: portOf(source, 'AUTH_MANAGEMENT_PORT', 9081),
      },
      shortener: {
        port: portOf(source, 'SHORTENER_PORT', 8082),
        managementPort: portOf(source, 'SHORTENER_MANAGEMENT_PORT', 9082),
      },
    },
  };
}

function portOf(source: Source, variable: string, initially: number): number {
  const text = source[variable];
  if (!text) return initially;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new SettingRefused(`${variable} must be a port between 1 and 65535, not "${text}".`);
  return port;
}

/** The port of a plain http address is the gateway's own; behind a TLS terminator it is not. */
function portOfUrl(publicUrl: string | undefined): number | undefined {
  if (!publicUrl) return undefined;
  if (!/^https?:\/\//i.test(publicUrl) || !URL.canParse(publicUrl))
    throw new SettingRefused(`PUBLIC_URL must be an http or https address, not "${publicUrl}".`);
  const url = new URL(publicUrl);
  return url.protocol === 'http:' && url.port ? Number(url.port) : undefined;
}

/** The environment of one app in embedded mode. What the caller set wins, except for what the platform itself decides. */
export function appEnvironment(
  app: AppName,
  settings: PlatformSettings,
  source: Source,
): Record<string, string> {
  const { ports } = settings;
  const given = Object.fromEntries(
    Object.entries(source).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return {
    DEMO: 'true',
    ANONYMOUS_CREATE: 'true',
    AUTH_INTERNAL_URL: `http://127.0.0.1:${ports['auth-server'].port}/auth`,
    AUTH_UPSTREAM: `http://127.0.0.1:${ports['auth-server'].port}`,
    SHORTENER_UPSTREAM: `http://127.0.0.1:${ports.shortener.port}`,
    ...given,
    PUBLIC_URL: settings.publicUrl,
    DATA_DIR: settings.dataDir,
    PORT: String(ports[app].port),
    MANAGEMENT_PORT: String(ports[app].managementPort),
  };
}
