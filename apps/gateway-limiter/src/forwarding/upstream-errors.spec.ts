import { problemTypes } from '@gatepost/problem-details';
import { readFailure } from './upstream-errors.ts';

describe('a failed attempt', () => {
  it.each([
    ['ECONNREFUSED', false, 502, 'connect', true],
    ['ENOTFOUND', false, 502, 'connect', true],
    ['ECONNRESET', true, 502, 'reset', true],
    ['ECONNRESET', false, 502, 'connect', true],
    ['UND_ERR_SOCKET', true, 502, 'reset', true],
    ['HPE_INVALID_CONSTANT', true, 502, 'protocol', false],
    ['UND_ERR_HEADERS_OVERFLOW', true, 502, 'protocol', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', false, 502, 'connect', false],
    ['UND_ERR_CONNECT_TIMEOUT', false, 504, 'timeout', true],
    ['UND_ERR_HEADERS_TIMEOUT', true, 504, 'timeout', false],
    ['UND_ERR_CLOSED', false, 503, 'closing', true],
    ['UND_ERR_INVALID_ARG', false, 400, 'request', false],
  ])('with %s (sent: %s) is %i, %s', (code, wasSent, status, reason, isRetryable) => {
    const failure = readFailure(Object.assign(new Error('secret address'), { code }), wasSent);
    expect([problemTypes[failure.code].status, failure.reason, failure.isRetryable]).toEqual([
      status,
      reason,
      isRetryable,
    ]);
    expect(failure.detail).not.toContain('secret');
  });

  it('blames the peer for its own faults only', () => {
    const blames = (code: string) => readFailure({ code }, true).isPeersFault;
    expect([blames('ECONNRESET'), blames('UND_ERR_INVALID_ARG'), blames('UND_ERR_CLOSED')]).toEqual(
      [true, false, false],
    );
  });
});
