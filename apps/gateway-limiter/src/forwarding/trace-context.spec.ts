import { parseTraceparent } from '@gatepost/service-kit';
import { createRequestId, startTrace } from './trace-context.ts';

describe('a trace that begins here', () => {
  it('has the request id for its trace id, and nobody keeps it', () => {
    expect(parseTraceparent(startTrace('0af7651916cd43dd8448eb211c80319c'))).toEqual({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      spanId: '8448eb211c80319c',
      flags: 0,
    });
  });

  it.each(['given-by-a-balancer', '0'.repeat(32), `${'1'.repeat(16)}${'0'.repeat(16)}`])(
    'is valid for the request id %s',
    (id) => {
      expect(parseTraceparent(startTrace(id))).toMatchObject({ flags: 0 });
    },
  );
});

describe('a request id', () => {
  it('is another one each time', () => {
    const ids = Array.from({ length: 1_000 }, createRequestId);
    expect(new Set(ids).size).toBe(1_000);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });
});
