/** Name, IPv4 or bracketed IPv6 address, with an optional port: what Host and an authority may hold (RFC 9110 §7.2). */
const AUTHORITY = /^([a-z0-9_](?:[a-z0-9._-]*[a-z0-9_.])?|\[[0-9a-f:.]+\])(?::\d{0,5})?$/i;

const known = new Map<string, string>();

/** The host of a Host field for routing: lower case, without port and trailing dot. `undefined` when it is none. */
export function readHost(text: string): string | undefined {
  const before = known.get(text);
  if (before !== undefined) return before;
  const [, host] = AUTHORITY.exec(text) ?? [];
  if (!host) return undefined;
  const name = host.toLowerCase().replace(/\.$/, '');
  // Clients choose the text: the memory of it stays bounded.
  if (known.size >= 512) known.clear();
  known.set(text, name);
  return name;
}
