import { isUnreachable, withRetry } from './retry.ts';

const failure = (code: string) => Object.assign(new Error(code), { code });

describe('withRetry', () => {
  it.each(['40001', '40P01', 'P2034'])('runs the work again after %s', async (code) => {
    let runs = 0;
    const result = await withRetry(
      async () => {
        runs += 1;
        if (runs < 3) throw failure(code);
        return runs;
      },
      { random: () => 0 },
    );
    expect(result).toBe(3);
  });

  it('gives up after the last attempt', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
      throw failure('40001');
    };
    await expect(withRetry(work, { attempts: 3, random: () => 0 })).rejects.toMatchObject({
      code: '40001',
    });
    expect(runs).toBe(3);
  });

  it('does not repeat what would fail again', async () => {
    let runs = 0;
    const work = async () => {
      runs += 1;
      throw failure('23505');
    };
    await expect(withRetry(work)).rejects.toMatchObject({ code: '23505' });
    expect(runs).toBe(1);
  });
});

describe('isUnreachable', () => {
  it.each([
    ['a refused connection', failure('ECONNREFUSED')],
    ['a shutdown', failure('57P01')],
    ['a connection exception', failure('08006')],
    ['too many connections', failure('53300')],
    ['a primary that became a replica', failure('25006')],
    ['a transaction that was silent for too long', failure('25P03')],
    ['the code of Prisma', failure('P1001')],
    ['a cause', new Error('outer', { cause: failure('ECONNRESET') })],
    [
      'one of several addresses',
      Object.assign(new Error('all'), { errors: [failure('ECONNREFUSED')] }),
    ],
    ['the pool that ran out', new Error('timeout exceeded when trying to connect')],
  ])('is told by %s', (_what, error) => {
    expect(isUnreachable(error)).toBe(true);
  });

  it.each([
    ['a unique clash', failure('23505')],
    ['a syntax error', failure('42601')],
    ['nothing', undefined],
  ])('is not told by %s', (_what, error) => {
    expect(isUnreachable(error)).toBe(false);
  });
});
