import { readFileSync } from 'node:fs';
import { problem as problemSchema } from '@gatepost/contracts';
import { DomainError } from './domain-error.ts';
import { toDomainError, toProblem } from './problem.ts';
import { type ProblemType, problemTypes, problemTypeUri } from './problem-types.ts';

const place = { target: '/links/abc1234?token=secret', requestId: 'request-1' };

describe('a problem', () => {
  it('has the members of the contract and leaves the query out', () => {
    const problem = toProblem(new DomainError('alias-taken', 'The alias abc1234 is taken.'), place);
    expect(problem).toEqual({
      type: 'urn:gatepost:problem:alias-taken',
      title: 'The alias is taken',
      status: 409,
      detail: 'The alias abc1234 is taken.',
      instance: '/links/abc1234',
      requestId: 'request-1',
    });
    expect(problemSchema.safeParse(problem).success).toBe(true);
  });

  it('points at faulty members and carries extensions', () => {
    const error = new DomainError('invalid-request', 'One member is wrong.', {
      errors: [{ pointer: '/longUrl', detail: 'is missing' }],
      extensions: { 'violated-policies': ['minute'] },
    });
    expect(toProblem(error, place)).toMatchObject({
      errors: [{ pointer: '/longUrl', detail: 'is missing' }],
      'violated-policies': ['minute'],
    });
  });
});

describe('a foreign error', () => {
  it.each([
    ['an unknown error', new Error('password=hunter2 at 10.0.0.1'), 500],
    ['a string', 'password=hunter2', 500],
    ['undefined', undefined, 500],
    [
      'a body that cannot be parsed',
      Object.assign(new Error('Unexpected token in hunter2'), { statusCode: 400 }),
      400,
    ],
    ['a body that is too large', Object.assign(new Error('hunter2'), { statusCode: 413 }), 413],
    [
      'a status of 4xx that is not in the table',
      Object.assign(new Error('hunter2'), { statusCode: 418 }),
      400,
    ],
    ['a status of 5xx', Object.assign(new Error('hunter2'), { statusCode: 502 }), 500],
    ['an HttpException', { getStatus: () => 404, message: 'hunter2' }, 404],
  ])('%s shows its status and nothing else', (_what, thrown, status) => {
    const problem = toProblem(toDomainError(thrown), place);
    expect(problem.status).toBe(status);
    expect(JSON.stringify(problem)).not.toContain('hunter2');
  });
});

describe('the table of problems', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');

  it('is the one in the README', () => {
    const documented = [...readme.matchAll(/^\| `([\w-]+)` \| (\d{3}) \| (.+) \|$/gm)].map(
      ([, code, status, title]) => [code, Number(status), title],
    );
    expect(documented).toEqual(
      Object.entries(problemTypes).map(([code, { status, title }]) => [code, status, title]),
    );
  });

  it('has a type URI for each code, registered ones first', () => {
    for (const [code, type] of Object.entries(problemTypes) as [
      keyof typeof problemTypes,
      ProblemType,
    ][]) {
      expect(problemTypeUri(code)).toBe(type.uri ?? `urn:gatepost:problem:${code}`);
    }
  });
});
