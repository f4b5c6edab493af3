const HOST_LENGTH = 253;

/**
 * The host that linked here, without a leading `www.`; empty where there was none or none can be read. Paths and queries
 * are left out: they tell who the visitor is, and there is no end to them.
 */
export function referrerHost(referrer: string | null): string {
  if (referrer === null || !/^https?:\/\//i.test(referrer) || !URL.canParse(referrer)) return '';
  const host = new URL(referrer).hostname.replace(/\.$/, '').replace(/^www\./, '');
  return host.length <= HOST_LENGTH ? host : '';
}
