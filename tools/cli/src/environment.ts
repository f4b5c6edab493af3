import { homedir } from 'node:os';
import { join } from 'node:path';
import { wrongUsage } from './command-failed.ts';

/** What the environment says; read once, in main.ts. */
export interface CliEnvironment {
  readonly baseUrl: string;
  readonly configDir: string;
  readonly managementToken: string | undefined;
  readonly managementUrls: Readonly<Record<ManagementDoor, string>>;
  readonly allowHttp: boolean;
  /** NO_COLOR (https://no-color.org) and TERM=dumb. */
  readonly noColour: boolean;
  readonly hasDisplay: boolean;
  /** Proxy variables that are set; Node's fetch does not follow them. */
  readonly proxyVariables: readonly string[];
}

export type ManagementDoor = 'gateway' | 'auth' | 'shortener';

type Source = Readonly<Record<string, string | undefined>>;

export function readEnvironment(source: Source, platform: NodeJS.Platform): CliEnvironment {
  return {
    baseUrl: toBaseUrl(source['GATEPOST_URL'] || 'http://localhost:8080', 'GATEPOST_URL'),
    configDir: source['GATEPOST_CONFIG_DIR'] || usualConfigDir(source, platform),
    managementToken: source['MANAGEMENT_TOKEN'] || undefined,
    managementUrls: {
      gateway: managementUrl(source, 'GATEPOST_GATEWAY_MANAGEMENT_URL', 9080),
      auth: managementUrl(source, 'GATEPOST_AUTH_MANAGEMENT_URL', 9081),
      shortener: managementUrl(source, 'GATEPOST_SHORTENER_MANAGEMENT_URL', 9082),
    },
    allowHttp: source['GATEPOST_ALLOW_HTTP'] === 'true',
    noColour: Boolean(source['NO_COLOR']) || source['TERM'] === 'dumb',
    hasDisplay:
      platform !== 'linux' || Boolean(source['DISPLAY']) || Boolean(source['WAYLAND_DISPLAY']),
    proxyVariables: ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].filter(
      (name) => source[name],
    ),
  };
}

/** The public address of a gateway: http or https, no query, no trailing slash. */
export function toBaseUrl(text: string, where: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw wrongUsage(`${where} must be an address like https://go.example.com, not "${text}".`);
  const { origin, pathname, search, hash, username, password } = new URL(text);
  if (search || hash || username || password)
    throw wrongUsage(`${where} must be a plain address, without user, query or fragment.`);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

function managementUrl(source: Source, name: string, port: number): string {
  return toBaseUrl(source[name] || `http://127.0.0.1:${port}`, name);
}

function usualConfigDir(source: Source, platform: NodeJS.Platform): string {
  if (platform === 'win32')
    return join(source['APPDATA'] || join(homedir(), 'AppData', 'Roaming'), 'gatepost');
  return join(source['XDG_CONFIG_HOME'] || join(homedir(), '.config'), 'gatepost');
}

/** Loopback needs no TLS: nobody else is on the way (RFC 8252 §8.3). */
export function isLoopback(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);
}
