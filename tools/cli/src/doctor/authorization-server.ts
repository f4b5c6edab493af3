import type { Context } from '../context.ts';
import { issuerUrl } from '../sign-in/issuer.ts';
import { type Finding, fault, good, warning } from './finding.ts';
import { probe } from './probe.ts';

type Metadata = Readonly<Record<string, unknown>>;

const SPOOFED_HOST = 'doctor.invalid';

/** What the discovery document says, whether it is true, and whether a client could change it. */
export async function lookAtAuthorizationServer(context: Context): Promise<Finding[]> {
  const address = `${issuerUrl(context.baseUrl)}/.well-known/openid-configuration`;
  const metadata = await fetchObject(context, address);
  if (!metadata)
    return [
      fault(
        'issuer',
        `There is no discovery document at ${address}.`,
        'Let the gateway route /auth to the authorization server, and see that it runs.',
      ),
    ];
  return [
    lookAtIssuer(context.baseUrl, metadata),
    lookAtEndpoints(context.baseUrl, metadata),
    await lookAtSecondDocument(context, metadata),
    await lookAtForwardedHost(context, address, metadata),
    ...(await lookAtKeySet(context, metadata)),
  ];
}

async function fetchObject(
  context: Context,
  address: string,
  headers: Record<string, string> = {},
): Promise<Metadata | undefined> {
  const answer = await probe(context, address, headers);
  const isObject =
    answer?.status === 200 && typeof answer.body === 'object' && answer.body !== null;
  return isObject ? (answer.body as Metadata) : undefined;
}

function lookAtIssuer(baseUrl: string, { issuer }: Metadata): Finding {
  if (issuer === issuerUrl(baseUrl)) return good('issuer', String(issuer));
  return fault(
    'issuer',
    `The authorization server calls itself ${String(issuer)}, not ${issuerUrl(baseUrl)}: clients will refuse its tokens.`,
    'Set PUBLIC_URL of every service to the address that clients use, or use the address that it has.',
  );
}

/** A proxy that ends TLS and does not say so turns https addresses into http. */
function lookAtEndpoints(baseUrl: string, metadata: Metadata): Finding {
  const strangers = Object.entries(metadata).filter(
    ([name, value]) =>
      /(_endpoint|_uri)$/.test(name) &&
      typeof value === 'string' &&
      !value.startsWith(`${baseUrl}/`),
  );
  if (strangers.length === 0) return good('endpoints', `all under ${baseUrl}`);
  const [name, value] = strangers[0] as [string, unknown];
  return fault(
    'endpoints',
    `${name} is ${String(value)}, not under ${baseUrl}.`,
    'Set PUBLIC_URL of the authorization server.',
  );
}

async function lookAtSecondDocument(context: Context, metadata: Metadata): Promise<Finding> {
  const { origin, pathname } = new URL(issuerUrl(context.baseUrl));
  const address = `${origin}/.well-known/oauth-authorization-server${pathname}`;
  const second = await fetchObject(context, address);
  if (second?.['issuer'] === metadata['issuer'])
    return good('RFC 8414', 'The same metadata at its second address');
  return warning(
    'RFC 8414',
    `${address} does not answer the same.`,
    'Let the gateway route /.well-known/oauth-authorization-server/auth to the authorization server.',
  );
}

/** Endpoints that follow a header lead clients, and their codes, wherever an attacker likes. */
async function lookAtForwardedHost(
  context: Context,
  address: string,
  metadata: Metadata,
): Promise<Finding> {
  const spoofed = await fetchObject(context, address, {
    'x-forwarded-host': SPOOFED_HOST,
    'x-forwarded-proto': 'https',
    forwarded: `host=${SPOOFED_HOST};proto=https`,
  });
  const hasChanged = spoofed && JSON.stringify(spoofed) !== JSON.stringify(metadata);
  return hasChanged
    ? fault(
        'proxy headers',
        'X-Forwarded-Host changes the discovery document.',
        'Let no header but the gateway’s own reach the authorization server.',
      )
    : good('proxy headers', 'X-Forwarded-Host does not move the endpoints');
}

async function lookAtKeySet(context: Context, { jwks_uri: uri }: Metadata): Promise<Finding[]> {
  const answer = typeof uri === 'string' ? await probe(context, uri) : undefined;
  const keys = (answer?.body as { keys?: unknown } | undefined)?.keys;
  if (!Array.isArray(keys) || keys.length === 0)
    return [
      fault(
        'keys',
        'The issuer publishes no keys.',
        'Look at the log of the authorization server.',
      ),
    ];
  if (keys.some((key) => typeof key === 'object' && key !== null && ('d' in key || 'k' in key)))
    return [
      fault(
        'keys',
        'A PRIVATE key is published.',
        'Rotate the keys at once: gatepost keys rotate.',
      ),
    ];
  const algorithms = [...new Set(keys.map(({ alg }: { alg?: string }) => alg ?? '?'))].join(', ');
  const isCacheable = /max-age=\d/.test(answer?.headers.get('cache-control') ?? '');
  const found = good('keys', `${keys.length} published (${algorithms})`);
  return isCacheable
    ? [found]
    : [
        found,
        warning(
          'keys',
          'The key set does not say how long it may be kept.',
          'Let no proxy remove Cache-Control.',
        ),
      ];
}
