import { type KoaContextWithOIDC, Provider } from 'oidc-provider';

/** The request that the library is answering on this asynchronous path, if any. */
export function runningRequest(): KoaContextWithOIDC | undefined {
  return (Provider as unknown as { ctx?: KoaContextWithOIDC }).ctx;
}

/** The library's name for the endpoint of the running request. */
export function routeOfRequest(): string | undefined {
  return runningRequest()?.oidc?.route;
}

/** The interaction named in the path of a request that comes back from signing in. */
export function interactionToCome(): string | undefined {
  const ctx = runningRequest();
  const route = ctx?.oidc?.route;
  if (route !== 'resume' && route !== 'device_resume') return undefined;
  return (ctx as unknown as { params?: { uid?: string } }).params?.uid;
}
