import { routes } from './configuration.ts';

/** Methods that an endpoint of the protocol takes. */
export interface ProtocolEndpoint {
  readonly methods: readonly string[];
  /** The path the library knows it by, relative to the issuer. */
  readonly libraryPath: string;
}

const GET = ['GET', 'HEAD', 'OPTIONS'];
const POST = ['POST', 'OPTIONS'];
const BOTH = ['GET', 'HEAD', 'POST', 'OPTIONS'];

const OAUTH_METADATA = '/.well-known/oauth-authorization-server';
const OPENID_METADATA = '/.well-known/openid-configuration';

const FIXED: Readonly<Record<string, readonly string[]>> = {
  [routes.authorization]: ['GET', 'HEAD'],
  [routes.token]: POST,
  [routes.userinfo]: BOTH,
  [routes.jwks]: GET,
  [routes.introspection]: POST,
  [routes.revocation]: POST,
  [routes.pushed_authorization_request]: POST,
  [routes.device_authorization]: POST,
  [routes.code_verification]: ['GET', 'HEAD', 'POST'],
  [routes.end_session]: ['GET', 'HEAD', 'POST'],
  [`${routes.end_session}/confirm`]: ['POST'],
  [`${routes.end_session}/success`]: ['GET', 'HEAD'],
  [routes.registration]: ['POST'],
  [OPENID_METADATA]: GET,
  [OAUTH_METADATA]: GET,
};

/** `/authorize/{uid}`, `/device/{uid}`: where a browser comes back to after signing in. */
const RESUME = new RegExp(`^(${routes.authorization}|${routes.code_verification})/[\\w-]+$`);

/**
 * Which endpoint of the library a request path means; undefined when it is none of the protocol's. The comparison is exact: case,
 * trailing slashes and percent-encoding make another path.
 */
export function protocolEndpoint(path: string, mount: string): ProtocolEndpoint | undefined {
  const libraryPath = libraryPathOf(path, mount);
  if (libraryPath === undefined) return undefined;
  const methods = Object.hasOwn(FIXED, libraryPath) ? FIXED[libraryPath] : undefined;
  if (methods) return { methods, libraryPath };
  return RESUME.test(libraryPath) ? { methods: ['GET', 'HEAD'], libraryPath } : undefined;
}

function libraryPathOf(path: string, mount: string): string | undefined {
  // RFC 8414 section 3.1 puts the issuer's path behind the well-known one.
  if (path === `${OAUTH_METADATA}${mount}`) return OAUTH_METADATA;
  if (path === `${OPENID_METADATA}${mount}`) return OPENID_METADATA;
  return path.startsWith(`${mount}/`) ? path.slice(mount.length) : undefined;
}
