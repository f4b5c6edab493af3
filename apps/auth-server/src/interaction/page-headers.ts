import { STYLE_HASH } from './views/style.ts';

/**
 * Header fields of every page: nothing may be loaded, run, framed, kept or told to others.
 *
 * `form-action` stands only where a form can lead nowhere but to us. Chromium holds the whole chain of redirects after a
 * form to it: an answer to sign-in or consent that ends at the application, and goes on from there to wherever the
 * application likes, would be stopped without a word. `script-src` is there, and empty, for the protocol's own pages that
 * submit themselves: the library adds the hash of its script to it.
 */
export function pageHeaders(options: {
  readonly formsStayHere: boolean;
  readonly isHttps: boolean;
}): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src ${STYLE_HASH}`,
    'img-src data:',
    'script-src',
    ...(options.formsStayHere ? ["form-action 'self'"] : []),
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-frame-options': 'DENY',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cache-control': 'no-store',
    'content-language': 'en',
    ...(options.isHttps ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  };
}
