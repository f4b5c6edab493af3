/** The request target (RFC 9112 §3.2), read once for routing and limiting. */
export interface RequestTarget {
  /** Decoded once, without query; `*` for the asterisk form. What routes and limits. */
  readonly path: string;
  /** Origin form in the client's own bytes, query included. What is forwarded. */
  readonly forwarded: string;
  /** Authority of an absolute-form target; it replaces Host (RFC 9112 §3.2.2). */
  readonly authority: string | undefined;
}

/** A target that this gateway and a server behind it could read differently, or that is none. */
export interface TargetFault {
  readonly fault: string;
}

/** Nothing to decode, nothing to doubt: most paths. Dot segments, `//`, `%`, `\`, `#` and what is not ASCII fall through. */
const PLAIN_PATH = /^(?:\/(?!\.{1,2}(?:[/;]|$))[\w.~!$&'()*+,:;=@-]+)*\/?$/;

/** `.` or `..`, also with parameters: Java servers read `..;x` as `..`. */
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:;[^/]*)?(?=\/|$)/;

/** What a second decoding would turn into a dot, a slash, a backslash, a percent sign or a control character. */
const ENCODED_TWICE = /%(?:2[ef5]|5c|[01][0-9a-f]|7f)/i;

const OUTSIDE_VISIBLE_ASCII = /[^\x21-\x7e]/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\x00-\x1f\x7f]/;

/** Reads a request target of any form but CONNECT's. */
export function readTarget(method: string, target: string): RequestTarget | TargetFault {
  if (target.charCodeAt(0) === 0x2f) return readOriginForm(target, undefined);
  if (target === '*') {
    return method === 'OPTIONS'
      ? { path: '*', forwarded: '*', authority: undefined }
      : { fault: 'Only OPTIONS may ask for "*".' };
  }
  return readAbsoluteForm(method, target);
}

function readOriginForm(
  target: string,
  authority: string | undefined,
): RequestTarget | TargetFault {
  const query = target.indexOf('?');
  const raw = query < 0 ? target : target.slice(0, query);
  // A fragment never belongs on the wire; a server that cuts it off would see another target than one that does not.
  if (query >= 0 && target.includes('#', query)) return { fault: 'A fragment is not allowed.' };
  if (PLAIN_PATH.test(raw)) return { path: raw, forwarded: target, authority };
  const path = decodePath(raw);
  return typeof path === 'string' ? { path, forwarded: target, authority } : path;
}

function readAbsoluteForm(method: string, target: string): RequestTarget | TargetFault {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#\\]*)(.*)$/is.exec(target) ?? [];
  if (!authority) return { fault: 'The request target is neither a path nor an http address.' };
  if (authority.includes('@')) return { fault: 'Credentials are not allowed in the target.' };
  // RFC 9112 §3.2.4: OPTIONS for an address without path and query asks about the server as a whole.
  if (method === 'OPTIONS' && rest === '') return { path: '*', forwarded: '*', authority };
  return readOriginForm(rest.startsWith('/') ? rest : `/${rest}`, authority);
}

/** Decodes once and refuses whatever has a second reading. */
function decodePath(raw: string): string | TargetFault {
  if (OUTSIDE_VISIBLE_ASCII.test(raw)) return { fault: 'Encode what is not ASCII in the path.' };
  if (raw.includes('#')) return { fault: 'A fragment is not allowed.' };
  if (raw.includes('\\') || /%5c/i.test(raw)) return { fault: 'A backslash in the path.' };
  // Some servers merge empty segments, some take `//name` for another host.
  if (raw.includes('//')) return { fault: 'An empty path segment.' };
  if (/%2f/i.test(raw)) return { fault: 'An encoded slash in the path.' };
  let path: string;
  try {
    path = decodeURIComponent(raw);
  } catch {
    // Also UTF-8 that is not well-formed, such as the overlong %c0%af for a slash.
    return { fault: 'The percent-encoding of the path is not valid.' };
  }
  if (CONTROL.test(path)) return { fault: 'A control character in the path.' };
  if (ENCODED_TWICE.test(path)) return { fault: 'The path is encoded twice.' };
  if (DOT_SEGMENT.test(path)) return { fault: 'A dot segment in the path.' };
  return path;
}
