import { runs } from '@gatepost/test-services/fuzz';
import fc from 'fast-check';
import { buildUpstreamFields, hopsLeft } from './forwarded-fields.ts';

const direct = { clientAddress: '203.0.113.7', isTrusted: false, isEncrypted: false };

function forward(
  rawHeaders: string[],
  over: Partial<Parameters<typeof buildUpstreamFields>[0]> = {},
  sender: Parameters<typeof buildUpstreamFields>[1] = direct,
): Record<string, string[]> {
  const headers: Record<string, string> = Object.create(null);
  for (let index = 0; index < rawHeaders.length; index += 2) {
    // As Node joins what comes twice.
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const fields = buildUpstreamFields(
    {
      rawHeaders,
      headers,
      method: 'GET',
      hostField: 'links.example',
      requestId: '0af7651916cd43dd8448eb211c80319c',
      traceparent: undefined,
      strip: [],
      ...over,
    },
    sender,
  );
  // A field may be called `constructor`.
  const found: Record<string, string[]> = Object.create(null);
  for (let index = 0; index < fields.length; index += 2)
    found[fields[index] as string] = [
      ...(found[fields[index] as string] ?? []),
      fields[index + 1] as string,
    ];
  return found;
}

describe('the fields that go upstream', () => {
  it('keep the client’s spelling, order and repetitions', () => {
    const fields = forward(['Accept', 'a', 'X-Custom', '1', 'X-Custom', '2']);
    expect(fields).toMatchObject({ Accept: ['a'], 'X-Custom': ['1', '2'] });
    expect(Object.keys(fields).slice(0, 2)).toEqual(['Accept', 'X-Custom']);
  });

  it('say where the request came from', () => {
    expect(forward([])).toMatchObject({
      host: ['links.example'],
      'x-forwarded-for': ['203.0.113.7'],
      'x-forwarded-proto': ['http'],
      'x-forwarded-host': ['links.example'],
      forwarded: ['for=203.0.113.7;host=links.example;proto=http'],
      via: ['1.1 gatepost'],
      'x-request-id': ['0af7651916cd43dd8448eb211c80319c'],
      traceparent: [expect.stringMatching(/^00-0af7651916cd43dd8448eb211c80319c-/)],
    });
  });

  it('quote an IPv6 address and a port in Forwarded', () => {
    expect(
      forward([], { hostField: '[::1]:80' }, { ...direct, clientAddress: '2001:db8::1' }).forwarded,
    ).toEqual(['for="[2001:db8::1]";host="[::1]:80";proto=http']);
  });

  it.each([
    'Connection',
    'Keep-Alive',
    'Proxy-Connection',
    'Proxy-Authorization',
    'TE',
    'Trailer',
    'Transfer-Encoding',
    'Upgrade',
    'Expect',
    'HTTP2-Settings',
  ])('leave %s behind: it belongs to the connection', (name) => {
    expect(Object.keys(forward([name, 'x'])).map((key) => key.toLowerCase())).not.toContain(
      name.toLowerCase(),
    );
  });

  it('leave behind what Connection names, but never what frames or routes the message', () => {
    const fields = forward([
      ...['Connection', 'close, X-Hop, content-length, host'],
      ...['X-Hop', '1', 'Content-Length', '5'],
    ]);
    expect(fields).toMatchObject({ 'Content-Length': ['5'], host: ['links.example'] });
    expect(fields).not.toHaveProperty('X-Hop');
  });

  it('say that trailers are welcome when the client says so', () => {
    expect(forward(['TE', 'gzip, trailers;q=0.5'])).toMatchObject({ te: ['trailers'] });
    expect(forward(['TE', 'gzip'])).not.toHaveProperty('te');
  });

  it.each([
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    'RateLimit',
    'RateLimit-Policy',
    'X-User-Id',
    'X-Client-Id',
    'X-Consumer-Username',
    'X-Forwarded-User',
    'X-Auth-Request-Email',
    'X-Gatepost-Subject',
    'Remote-User',
    'X-Real-IP',
    'True-Client-IP',
    'X-Original-URL',
    'X-Rewrite-URL',
    'X_User_Id',
    'X_Forwarded_For',
  ])('never carry %s from outside', (name) => {
    expect(forward([name, 'forged'])).not.toHaveProperty([name]);
  });

  it('keep what only looks alike', () => {
    expect(
      forward(['X-User-Agent', 'a', 'X-Auth-Token', 'b', 'X-Client-Version', 'c']),
    ).toMatchObject({ 'X-User-Agent': ['a'], 'X-Auth-Token': ['b'], 'X-Client-Version': ['c'] });
  });

  it('replace what an untrusted sender says of itself', () => {
    const fields = forward([
      ...['X-Forwarded-For', '1.1.1.1', 'X-Forwarded-Proto', 'https', 'X-Forwarded-Host', 'evil'],
      ...['Forwarded', 'for=1.1.1.1', 'X-Request-Id', 'chosen-by-client'],
    ]);
    expect(fields).toMatchObject({
      'x-forwarded-for': ['203.0.113.7'],
      'x-forwarded-proto': ['http'],
      'x-forwarded-host': ['links.example'],
      forwarded: ['for=203.0.113.7;host=links.example;proto=http'],
    });
    expect(JSON.stringify(fields)).not.toMatch(/1\.1\.1\.1|evil|chosen/);
  });

  it('believe a trusted proxy about scheme and host, as far as they are valid', () => {
    const trusted = { ...direct, isTrusted: true };
    expect(
      forward(['X-Forwarded-Proto', 'https', 'X-Forwarded-Host', 'public.example'], {}, trusted),
    ).toMatchObject({ 'x-forwarded-proto': ['https'], 'x-forwarded-host': ['public.example'] });
    expect(
      forward(['X-Forwarded-Proto', 'gopher', 'X-Forwarded-Host', 'a b'], {}, trusted),
    ).toMatchObject({ 'x-forwarded-proto': ['http'], 'x-forwarded-host': ['links.example'] });
  });

  it('keep a valid trace with its state, and begin a new one without the state of the old', () => {
    const valid = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(forward(['traceparent', valid, 'tracestate', 'a=1'])).toMatchObject({
      traceparent: [valid],
      tracestate: ['a=1'],
    });
    const renewed = forward(['traceparent', 'broken', 'tracestate', 'a=1']);
    expect(renewed).not.toHaveProperty('tracestate');
    expect(renewed['traceparent']).toEqual([expect.stringMatching(/^00-0af7/)]);
  });

  it('name the gateway’s own span as the parent, where it traces', () => {
    const own = '00-4bf92f3577b34da6a3ce929d0e0e4736-aaaaaaaaaaaaaaaa-01';
    const caller = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    expect(
      forward(['traceparent', caller, 'tracestate', 'a=1'], { traceparent: own }),
    ).toMatchObject({ traceparent: [own], tracestate: ['a=1'] });
  });

  it('drop the field that held a configured API key, and nothing else', () => {
    const raw = ['X-API-Key', 'demo', 'Authorization', 'Bearer token'];
    const stripped = forward(raw, { strip: ['x-api-key'] });
    expect(stripped).not.toHaveProperty('X-API-Key');
    expect(stripped).toMatchObject({ Authorization: ['Bearer token'] });
    expect(forward(raw)).toMatchObject({ 'X-API-Key': ['demo'] });
    expect(forward(raw, { strip: ['authorization'] })).not.toHaveProperty('Authorization');
  });

  it('add to Via instead of replacing it', () => {
    expect(forward(['Via', '1.0 elsewhere'])).toMatchObject({
      Via: ['1.0 elsewhere'],
      via: ['1.1 gatepost'],
    });
  });

  it('count Max-Forwards down for TRACE and OPTIONS alone', () => {
    expect(forward(['Max-Forwards', '3'], { method: 'TRACE' })['Max-Forwards']).toEqual(['2']);
    expect(forward(['Max-Forwards', '3'])['Max-Forwards']).toEqual(['3']);
    expect([hopsLeft('OPTIONS', '0'), hopsLeft('OPTIONS', 'x'), hopsLeft('GET', '0')]).toEqual([
      0,
      undefined,
      undefined,
    ]);
  });
});

describe('whatever fields a client sends', () => {
  /** One element of Forwarded as RFC 7239 §4 has it, taken apart; undefined for anything else. */
  function readForwarded(text: string): Record<string, string> | undefined {
    const pair = /([!#$%&'*+.^_`|~\w-]+)=(?:([!#$%&'*+.^_`|~\w-]+)|"((?:[^"\\]|\\.)*)")(;|$)/y;
    const found: Record<string, string> = {};
    while (pair.lastIndex < text.length) {
      const [, name, token, quoted] = pair.exec(text) ?? [];
      if (!name || name in found) return undefined;
      found[name] = token ?? quoted ?? '';
    }
    return found;
  }

  const connectionNames = (sent: readonly (readonly [string, string])[]) =>
    sent
      .filter(([field]) => field.toLowerCase() === 'connection')
      .map(([, content]) => content.toLowerCase())
      .join();

  const FORGED = [
    ...[
      'X-Forwarded-For',
      'x_forwarded_for',
      'X-FORWARDED_FOR',
      'Forwarded',
      'X-Real-IP',
      'X-Forwarded-Host',
    ],
    ...[
      'X-Forwarded-Proto',
      'X-Forwarded-Port',
      'X_Request_Id',
      'X-User',
      'X-User-Id',
      'Remote_User',
      'X-Client-Cert',
    ],
    ...[
      'X-RateLimit-Limit',
      'ratelimit',
      'Proxy-Authorization',
      'Transfer-Encoding',
      'TE',
      'Upgrade',
      'Host',
      'x_host',
    ],
  ];
  const name = fc.oneof(
    fc.constantFrom(
      ...FORGED,
      'Connection',
      'Via',
      'Accept',
      'Cookie',
      'constructor',
      '__proto__',
      'traceparent',
      'tracestate',
      'Max-Forwards',
    ),
    fc.stringMatching(/^[!#$%&'*+.^_`|~\w-]{1,12}$/),
  );
  const value = fc.oneof(
    fc.constantFrom(
      'evil',
      'for=evil',
      'https',
      '203.0.113.99',
      'close, x-custom',
      'host',
      '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      '3',
      'trailers',
    ),
    fc.stringMatching(/^[\t -~]{0,20}$/),
  );
  const hosts = fc.constantFrom(
    undefined,
    'links.example',
    'links.example:8080',
    '[2001:db8::1]',
    '[::1]:443',
  );
  const address = fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant(''));

  it('says of the hop itself once, and only what the gateway knows', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(name, value), { maxLength: 8 }),
        hosts,
        address,
        fc.boolean(),
        (sent, hostField, clientAddress, isEncrypted) => {
          const sender = { clientAddress, isTrusted: false, isEncrypted };
          const found = forward(sent.flat(), { hostField }, sender);
          const proto = isEncrypted ? 'https' : 'http';
          const lower = new Map<string, string[]>();
          for (const [field, values] of Object.entries(found))
            lower.set(field.toLowerCase().replaceAll('_', '-'), [
              ...(lower.get(field.toLowerCase().replaceAll('_', '-')) ?? []),
              ...values,
            ]);
          expect(lower.get('x-forwarded-for')).toEqual([clientAddress]);
          expect(lower.get('x-forwarded-proto')).toEqual([proto]);
          expect(lower.get('x-forwarded-host')).toEqual(
            hostField === undefined ? undefined : [hostField],
          );
          expect(lower.get('host')).toEqual(hostField === undefined ? undefined : [hostField]);
          expect(lower.get('x-request-id')).toHaveLength(1);
          expect(readForwarded(lower.get('forwarded')?.join() ?? '')).toEqual({
            for: clientAddress.includes(':') ? `[${clientAddress}]` : clientAddress || 'unknown',
            ...(hostField === undefined ? {} : { host: hostField }),
            proto,
          });
          for (const forged of [
            'x-real-ip',
            'x-user',
            'x-user-id',
            'remote-user',
            'x-client-cert',
            'x-forwarded-port',
            'x-ratelimit-limit',
            'ratelimit',
            'proxy-authorization',
            'transfer-encoding',
            'upgrade',
            'connection',
          ])
            expect(lower.has(forged)).toBe(false);
          // What is nobody's business but the two ends' goes on.
          for (const [field, content] of sent)
            if (
              /^(?:cookie|accept|constructor|__proto__)$/.test(field.toLowerCase()) &&
              !connectionNames(sent).includes(field.toLowerCase())
            )
              expect(found[field]).toContain(content);
          expect(lower.get('via')?.at(-1)).toBe('1.1 gatepost');
          expect(lower.get('traceparent')?.length ?? 1).toBe(1);
        },
      ),
      runs(1_000),
    );
  });
});
