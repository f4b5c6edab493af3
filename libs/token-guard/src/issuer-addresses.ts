/** Where an issuer is known to the world, and where this process reaches it. Both without a trailing slash. */
export interface IssuerAddresses {
  readonly issuer: string;
  readonly internalUrl: string;
}

/**
 * The address by which this process reaches a document of the issuer; undefined if the address is not under the issuer.
 * A token must not be able to make us fetch from elsewhere, so spellings that a parser would change are not accepted.
 */
export function toInternalAddress(address: string, addresses: IssuerAddresses): string | undefined {
  const { issuer, internalUrl } = addresses;
  if (!address.startsWith(`${issuer}/`) || !URL.canParse(address)) return undefined;
  const { href, username, password, search, hash } = new URL(address);
  if (href !== address || username || password || search || hash) return undefined;
  // An encoded slash or dot might be a path of its own to one server and a step upwards to the next.
  if (/%(?:2e|2f|5c)/i.test(address)) return undefined;
  return `${internalUrl}${address.slice(issuer.length)}`;
}
