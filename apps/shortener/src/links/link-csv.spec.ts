import type { LinkBody } from '@gatepost/contracts';
import { parseCsv, toCsv } from './link-csv.ts';

const link: LinkBody = {
  code: 'aB3dE6g',
  shortUrl: 'https://go.example.com/aB3dE6g',
  longUrl: 'https://example.org/?a="1",2',
  createdAt: '2026-11-20T12:00:00.000Z',
  expiresAt: null,
  trackClicks: false,
  state: 'active',
};

describe('toCsv', () => {
  it('writes RFC 4180', () => {
    expect(toCsv([link], { header: true })).toBe(
      'code,shortUrl,longUrl,createdAt,expiresAt,trackClicks,state\r\n' +
        'aB3dE6g,https://go.example.com/aB3dE6g,"https://example.org/?a=""1"",2",2026-11-20T12:00:00.000Z,,false,active\r\n',
    );
  });
});

describe('parseCsv', () => {
  it('reads back what an export wrote', () => {
    expect(parseCsv(toCsv([link], { header: true }))).toEqual([
      {
        code: 'aB3dE6g',
        shortUrl: 'https://go.example.com/aB3dE6g',
        longUrl: 'https://example.org/?a="1",2',
        createdAt: '2026-11-20T12:00:00.000Z',
        trackClicks: false,
        state: 'active',
      },
    ]);
  });

  it('minds neither a byte order mark, nor blank lines, nor the order of columns', () => {
    const text = '\ufefftrackClicks, longUrl\n\nTRUE,https://example.org\n\n';
    expect(parseCsv(text)).toEqual([{ trackClicks: true, longUrl: 'https://example.org' }]);
  });

  it('leaves what is no boolean for the schema to refuse', () => {
    expect(parseCsv('longUrl,trackClicks\nx,maybe\n')).toEqual([
      { longUrl: 'x', trackClicks: 'maybe' },
    ]);
  });

  it('keeps a column named like a member of every object to itself', () => {
    const [row] = parseCsv('longUrl,__proto__\nx,y\n');
    expect(Object.getPrototypeOf(row)).toBe(Object.prototype);
    expect({}).not.toHaveProperty('y');
  });

  it.each(['a,b\n1\n', 'a\n"x\n'])('names the line of what cannot be read: %j', (text) => {
    expect(() => parseCsv(text)).toThrow(/The CSV cannot be read: .*line/);
  });
});
