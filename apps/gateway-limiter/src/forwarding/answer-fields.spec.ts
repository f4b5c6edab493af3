import { buildAnswerFields, readTrailers } from './answer-fields.ts';

const buffers = (pairs: string[]) => pairs.map((text) => Buffer.from(text, 'latin1'));

function answer(
  pairs: string[],
  status = 200,
): { names: Record<string, string[]>; length: unknown } {
  const { fields, length } = buildAnswerFields(
    buffers(pairs),
    { requestId: 'id', rateFields: ['X-RateLimit-Limit', '100'] },
    status,
  );
  const names: Record<string, string[]> = {};
  for (let index = 0; index < fields.length; index += 2)
    names[fields[index] as string] = [
      ...(names[fields[index] as string] ?? []),
      fields[index + 1] as string,
    ];
  return { names, length };
}

describe('the fields of an answer', () => {
  it('keep the upstream’s spelling and repetitions', () => {
    expect(answer(['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2']).names).toMatchObject({
      'Set-Cookie': ['a=1', 'b=2'],
    });
  });

  it('put the gateway’s own word in place of the upstream’s', () => {
    const { names } = answer([
      ...['X-RateLimit-Limit', '7', 'x-ratelimit-remaining', '6', 'RateLimit', '"x";r=1'],
      ...['X-Request-Id', 'theirs'],
    ]);
    expect(names).toMatchObject({ 'X-RateLimit-Limit': ['100'], 'x-request-id': ['id'] });
    expect(names).not.toHaveProperty('x-ratelimit-remaining');
    expect(names).not.toHaveProperty('RateLimit');
  });

  it('leave behind what belongs to the connection, in whatever order it comes', () => {
    const { names } = answer([
      ...['X-Hop', '1', 'Connection', 'x-hop, Keep-Alive', 'Keep-Alive', 'timeout=5'],
      ...['Connection', 'x-other', 'X-Other', '2', 'Proxy-Authenticate', 'Basic', 'Trailer', 'x'],
      ...['Upgrade', 'h2c', 'X-Stays', '3'],
    ]);
    expect(Object.keys(names).map((name) => name.toLowerCase())).toEqual([
      'x-stays',
      'x-content-type-options',
      'via',
      'x-request-id',
      'x-ratelimit-limit',
    ]);
  });

  it('add nosniff only where it is missing', () => {
    expect(answer(['X-Content-Type-Options', 'nosniff']).names).not.toHaveProperty(
      'x-content-type-options',
    );
  });

  it('let scripts read the quota wherever they may read the answer', () => {
    expect(answer(['Access-Control-Allow-Origin', '*']).names).toMatchObject({
      'access-control-expose-headers': [expect.stringContaining('X-RateLimit-Remaining')],
    });
    expect(answer([]).names).not.toHaveProperty('access-control-expose-headers');
  });

  it('carry the length, unless chunks or 204 overrule it', () => {
    expect(answer(['Content-Length', '5'])).toMatchObject({
      length: 5,
      names: { 'content-length': ['5'] },
    });
    expect(answer(['Content-Length', '5', 'Transfer-Encoding', 'chunked']).length).toBeUndefined();
    expect(answer(['Content-Length', '5'], 204).names).not.toHaveProperty('content-length');
    expect(answer(['Content-Length', '5'], 304).length).toBe(5);
  });
});

describe('trailers', () => {
  it('pass, but for those that would change what is known already', () => {
    expect(
      readTrailers(
        buffers([
          ...['Grpc-Status', '0', 'Content-Length', '9', 'Set-Cookie', 'a=1'],
          ...['X-RateLimit-Limit', '1', 'Server-Timing', 'db;dur=1'],
        ]),
      ),
    ).toEqual([
      ['Grpc-Status', '0'],
      ['Server-Timing', 'db;dur=1'],
    ]);
  });
});
