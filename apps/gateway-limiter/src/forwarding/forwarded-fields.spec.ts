import { buildUpstreamFields, hopsLeft } from './forwarded-fields.ts';

const direct = { clientAddress: '203.0.113.7', isTrusted: false, isEncrypted: false };

function forward(
  rawHeaders: string[],
  over: Partial<Parameters<typeof buildUpstreamFields>[0]> = {},
  sender: Parameters<typeof buildUpstreamFields>[1] = direct,
): Record<string, string[]> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < rawHeaders.length; index += 2)
    headers[(rawHeaders[index] as string).toLowerCase()] = rawHeaders[index + 1] as string;
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
  const found: Record<string, string[]> = {};
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
