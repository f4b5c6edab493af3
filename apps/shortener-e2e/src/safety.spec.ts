import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWith, until } from '@gatepost/test-services';
import { TestShortener } from './shortener.ts';

async function listen(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

const portOf = (server: Server) => (server.address() as AddressInfo).port;

describeWith(['postgres'], 'safety', () => {
  const folder = mkdtempSync(join(tmpdir(), 'safety-'));
  const blocklist = join(folder, 'blocklist.txt');
  const hashes = join(folder, 'hashes.txt');
  let shortener: TestShortener;
  let site: Server;
  let hook: Server;
  let answer: RequestListener;
  let visits: string[];

  beforeAll(async () => {
    site = await listen((request, response) => {
      visits.push(request.url ?? '');
      answer(request, response);
    });
    hook = await listen(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      const malicious = JSON.parse(body).url.includes('phishing');
      response.end(JSON.stringify({ malicious, reason: malicious ? 'Known phishing.' : null }));
    });
    writeFileSync(blocklist, 'listed.example\n');
    writeFileSync(hashes, `${createHash('sha256').update('127.0.0.1/hashed/').digest('hex')}\n`);
    shortener = await TestShortener.start({
      SCAN_DESTINATIONS: 'true',
      ALLOW_PRIVATE_DESTINATIONS: 'true',
      BLOCKLIST_FILES: blocklist,
      REPUTATION_HASHES_FILE: hashes,
      REPUTATION_HOOK_URL: `http://127.0.0.1:${portOf(hook)}/check`,
    });
  });

  beforeEach(() => {
    visits = [];
    answer = (_request, response) => response.end('fine');
  });

  afterAll(async () => {
    await shortener?.stop();
    for (const server of [site, hook]) {
      server?.closeAllConnections();
      server?.close();
    }
    rmSync(folder, { recursive: true });
  });

  const siteUrl = (path: string) => `http://127.0.0.1:${portOf(site)}${path}`;

  async function expectBlocked(code: string, reason: string): Promise<void> {
    await until(async () => (await shortener.call(`/${code}`)).status === 403, { withinMs: 5_000 });
    const { headers, json } = await shortener.call(`/${code}`);
    expect(json).toMatchObject({ type: 'urn:gatepost:problem:link-blocked', detail: reason });
    expect(headers.get('cache-control')).toBe('no-store');
    const page = await shortener.call(`/${code}`, { headers: { accept: 'text/html' } });
    expect([page.status, page.headers.get('location')]).toEqual([403, null]);
    expect(page.text).toContain('This link is blocked');
    expect(page.text).toContain(reason);
  }

  it('refuses to shorten what is on the blocklist', async () => {
    const { status, json } = await shortener.call('/shorten', {
      body: { longUrl: 'https://LISTED.example./page' },
    });
    expect([status, json.type]).toEqual([422, 'urn:gatepost:problem:destination-blocklisted']);
  });

  it('blocks links that exist when their site gets on the list, and frees them with it', async () => {
    const token = shortener.token();
    const code = await shortener.create({ longUrl: 'https://soon-listed.example/' }, token);
    expect((await shortener.call(`/${code}`)).status).toBe(302);
    writeFileSync(blocklist, 'listed.example\n||soon-listed.example^\n');
    await expectBlocked(code, 'The site soon-listed.example is on a blocklist.');
    const { json } = await shortener.call(`/links/${code}`, { token });
    expect(json.state).toBe('blocked');
    writeFileSync(blocklist, 'listed.example\n');
    await until(async () => (await shortener.call(`/${code}`)).status === 302, { withinMs: 5_000 });
  });

  it('visits the destination once, after the first redirect, and not on creation', async () => {
    const code = await shortener.create({ longUrl: siteUrl('/clean') });
    expect(visits).toEqual([]);
    for (let round = 0; round < 5; round++)
      expect((await shortener.call(`/${code}`)).status).toBe(302);
    await until(() => visits.length > 0);
    expect((await shortener.call(`/${code}`)).status).toBe(302);
    expect(visits).toEqual(['/clean']);
  });

  it('scans links without tracking too, and never makes the visitor wait', async () => {
    answer = () => undefined; // a site that never answers
    const code = await shortener.create({ longUrl: siteUrl('/slow'), trackClicks: false });
    const began = Date.now();
    expect((await shortener.call(`/${code}`)).status).toBe(301);
    expect(Date.now() - began).toBeLessThan(1_000);
    await until(() => visits.length === 1);
    expect((await shortener.call(`/${code}`)).status).toBe(301);
  });

  it.each([
    [
      'a blocklisted hop',
      '/hop',
      'https://listed.example/x',
      'The site listed.example is on a blocklist.',
    ],
    ['what the reputation hook flags', '/hop', '/phishing', 'Known phishing.'],
    [
      'what a listed hash stands for',
      '/hop',
      '/hashed/page',
      'The destination is on a list of dangerous addresses.',
    ],
  ])('blocks a link that leads to %s', async (_name, path, location, reason) => {
    answer = (request, response) =>
      request.url === path ? response.writeHead(302, { location }).end() : response.end();
    const code = await shortener.create({ longUrl: siteUrl(path) });
    expect((await shortener.call(`/${code}`)).status).toBe(302);
    await expectBlocked(code, reason);
    const visited = visits.filter((visit) => visit !== path);
    expect(visited).toEqual([]);
  });

  it('frees a link whose owner moves it elsewhere, and scans that too', async () => {
    const token = shortener.token();
    answer = (request, response) =>
      request.url === '/moved'
        ? response.end()
        : response.writeHead(302, { location: '/phishing' }).end();
    const code = await shortener.create({ longUrl: siteUrl('/bad') }, token);
    await shortener.call(`/${code}`);
    await expectBlocked(code, 'Known phishing.');
    const moved = await shortener.call(`/links/${code}`, {
      method: 'PATCH',
      body: { longUrl: siteUrl('/moved') },
      token,
    });
    expect(moved.json.state).toBe('active');
    expect((await shortener.call(`/${code}`)).status).toBe(302);
    await until(() => visits.includes('/moved'));
  });

  it('blocks a link that leads into the private network where that is not allowed', async () => {
    const guarded = await shortener.startProcess({
      ALLOW_PRIVATE_DESTINATIONS: 'false',
      SCAN_DESTINATIONS: 'true',
    });
    // Created where it was allowed; the guarded node judges it by its own rules.
    const code = await shortener.create({ longUrl: siteUrl('/inside') });
    expect((await guarded.call(`/${code}`)).status).toBe(302);
    await until(async () => (await guarded.call(`/${code}`)).status === 403, { withinMs: 5_000 });
    expect(visits).toEqual([]);
  });
});
