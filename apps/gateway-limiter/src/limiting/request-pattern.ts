/** Which requests a rule is for. Paths are compared without case and without a trailing slash: rather once too often than too seldom. */
export interface RequestPattern {
  /** Absent: every method. */
  readonly methods?: ReadonlySet<string>;
  readonly path: string;
  /** Also everything below `path`, by whole segments. */
  readonly below: boolean;
  readonly host?: string;
}

/** Reads `POST /shorten`, `GET,HEAD /reports/*`, `* /*`. The form was validated with the definition. */
export function readRequestPattern(text: string, host?: string): RequestPattern {
  const [methods = '*', path = '/'] = text.split(' ');
  const below = path.endsWith('/*');
  return {
    ...(methods === '*' ? {} : { methods: new Set(methods.split(',')) }),
    path: comparablePath(below ? path.slice(0, -2) : path),
    below,
    ...(host === undefined ? {} : { host }),
  };
}

export function comparablePath(path: string): string {
  const lower = path.toLowerCase();
  return lower.length > 1 && lower.endsWith('/') ? lower.slice(0, -1) : lower;
}

/** `path` is a comparable one. */
export function matchesRequest(
  pattern: RequestPattern,
  method: string,
  host: string,
  path: string,
): boolean {
  if (pattern.methods && !pattern.methods.has(method)) return false;
  if (pattern.host !== undefined && pattern.host !== host) return false;
  if (path === pattern.path) return true;
  return (
    pattern.below &&
    path.startsWith(pattern.path) &&
    (pattern.path.endsWith('/') || path.charCodeAt(pattern.path.length) === 47)
  );
}
