#!/usr/bin/env node
// CPU per operation of auth-server on Postgres beside bare oidc-provider on its memory store, in one run, interleaved round by round.
// Usage, from the workspace root and after a build: node apps/auth-server/test/measure.mjs [rounds]
import { fork } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const ROUNDS = Number(process.argv[2] ?? 5);
const TICKS_PER_SECOND = 100;
const TARGETS = { client_credentials: 1.1, refresh: 1.5, 'sign-in': 1.25 };
const here = new URL('.', import.meta.url).pathname;
const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const dataDir = mkdtempSync(join(tmpdir(), 'auth-measure-'));

const ours = await start(join(here, '../dist/main.js'), {
  PORT: '0',
  MANAGEMENT_PORT: '0',
  DEMO: 'true',
  LOG_LEVEL: process.env.LOG_LEVEL ?? 'info',
  DATA_DIR: dataDir,
});
const bare = await start(join(here, 'bare-provider.mjs'), {});

const operations = {
  client_credentials: { count: 1500, workers: 16, run: clientCredentials },
  refresh: { count: 800, workers: 8, run: refreshChain },
  'sign-in': { count: 16, workers: 2, run: signIn },
};

const results = {};
for (const [name, { count: usual, workers, run }] of Object.entries(operations)) {
  const count = usual * Number(process.env.TIMES ?? 1);
  if (process.env.ONLY && process.env.ONLY !== name) continue;
  const spent = { ours: [], bare: [] };
  for (let round = -1; round < ROUNDS; round++)
    for (const [who, server] of [
      ['bare', bare],
      ['ours', ours],
    ]) {
      const work = await run(server, workers);
      const before = cpuSeconds(server.pid);
      await spread(round < 0 ? Math.ceil(count / 2) : count, workers, work);
      // The first round warms up.
      if (round >= 0) spent[who].push(((cpuSeconds(server.pid) - before) * 1000) / count);
    }
  results[name] = { bare: median(spent.bare), ours: median(spent.ours) };
}

console.log(
  '| operation | bare, CPU ms | auth-server, CPU ms | ratio | target |\n|---|---|---|---|---|',
);
for (const [name, { bare: plain, ours: own }] of Object.entries(results))
  console.log(
    `| ${name} | ${plain.toFixed(3)} | ${own.toFixed(3)} | ${(own / plain).toFixed(2)} | ≤ ${TARGETS[name]} |`,
  );

for (const { child } of [ours, bare]) {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
}
rmSync(dataDir, { recursive: true, force: true });

/** Grants for each worker are made beforehand; what is measured is the refresh alone. */
async function refreshChain(server, workers) {
  const tokens = [];
  for (let worker = 0; worker < workers; worker++)
    tokens.push((await signInOnce(server)).refresh_token);
  return async (worker) => {
    const answer = await token(server, {
      grant_type: 'refresh_token',
      refresh_token: tokens[worker],
    });
    tokens[worker] = answer.refresh_token;
  };
}

async function clientCredentials(server) {
  return () =>
    token(
      server,
      { grant_type: 'client_credentials', scope: 'links:read' },
      'demo-m2m:demo-m2m-secret',
    );
}

async function signIn(server) {
  return () => signInOnce(server);
}

async function signInOnce(server) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'demo-web',
    redirect_uri: 'http://127.0.0.1:3000/callback',
    scope: 'openid email profile links:read links:write',
    state: randomBytes(16).toString('base64url'),
    nonce: randomBytes(16).toString('base64url'),
    prompt: 'login consent',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const cookies = new Map();
  let answer = await send(server, 'GET', `/auth/authorize?${query}`, { cookies });
  for (let hop = 0; hop < 20; hop++) {
    const { location } = answer.headers;
    if (location?.startsWith('http://127.0.0.1:3000/')) {
      const code = new URL(location).searchParams.get('code');
      if (!code) throw new Error(location);
      return token(server, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: 'http://127.0.0.1:3000/callback',
        code_verifier: verifier,
      });
    }
    if (location) {
      const { pathname, search } = new URL(location, 'http://localhost:8080');
      answer = await send(server, 'GET', pathname + search, { cookies });
      continue;
    }
    const action = /<form[^>]* action="([^"]+)"/.exec(answer.text)?.[1]?.replaceAll('&amp;', '&');
    if (!action) throw new Error(`${answer.status} ${answer.text.slice(0, 500)}`);
    const form = new URLSearchParams();
    for (const [tag] of answer.text.matchAll(/<input[^>]*>/g)) {
      const name = / name="([^"]+)"/.exec(tag)?.[1];
      if (name) form.set(name, / value="([^"]*)"/.exec(tag)?.[1] ?? '');
    }
    if (form.has('password')) {
      form.set('email', 'demo@example.com');
      form.set('password', 'correct-horse-battery');
    }
    answer = await send(server, 'POST', new URL(action, 'http://localhost:8080').pathname, {
      cookies,
      body: form.toString(),
      // The form's own anti-forgery check compares it.
      headers: { origin: 'http://localhost:8080' },
    });
  }
  throw new Error('no end of redirects');
}

async function token(server, form, credentials = 'demo-web:demo-web-secret') {
  const answer = await send(server, 'POST', '/auth/token', {
    body: new URLSearchParams(form).toString(),
    headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
  });
  if (answer.status !== 200) throw new Error(`${server.name}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text);
}

function send(server, method, path, { body, headers = {}, cookies = new Map() } = {}) {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: '127.0.0.1',
        port: server.port,
        method,
        path,
        headers: {
          host: 'localhost:8080',
          accept: method === 'POST' && !cookies.size ? 'application/json' : 'text/html',
          ...(cookies.size ? { cookie: [...cookies].map(([n, v]) => `${n}=${v}`).join('; ') } : {}),
          ...(body
            ? {
                'content-type': 'application/x-www-form-urlencoded',
                'content-length': Buffer.byteLength(body),
              }
            : {}),
          ...headers,
        },
      },
      (response) => {
        for (const cookie of response.headers['set-cookie'] ?? []) {
          const [name, value] = cookie.split(';')[0].split(/=(.*)/s);
          if (value && !/expires=Thu, 01 Jan 1970/i.test(cookie)) cookies.set(name, value);
          else cookies.delete(name);
        }
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () =>
          resolve({ status: response.statusCode, headers: response.headers, text }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

async function spread(count, workers, work) {
  let left = count;
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      while (left-- > 0) await work(worker);
    }),
  );
}

/** User and system time of a process, all its threads included. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

function start(file, env) {
  const child = fork(file, [], {
    execArgv: (process.env.EXEC_ARGV ?? '').split(' ').filter(Boolean),
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.on('message', ({ type, port }) => {
      if (type !== 'ready') return;
      child.removeAllListeners('exit');
      resolve({ name: file.split('/').at(-1), child, pid: child.pid, port });
    });
  });
}
