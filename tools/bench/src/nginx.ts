import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@gatepost/test-services';
import type { ChildServer } from './child-server.ts';

/** One nginx worker as a plain proxy with keep-alive to the upstream; the worker's CPU is what counts. */
export async function startNginx(upstream: string): Promise<ChildServer> {
  const folder = mkdtempSync(join(tmpdir(), 'gatepost-nginx-'));
  const [port] = await freePorts(1);
  writeFileSync(
    join(folder, 'nginx.conf'),
    `daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/error.log;
events { worker_connections 2048; }
http {
  access_log off;
  client_body_temp_path ${folder}/a; proxy_temp_path ${folder}/b; fastcgi_temp_path ${folder}/c; uwsgi_temp_path ${folder}/d; scgi_temp_path ${folder}/e;
  upstream up { server ${new URL(upstream).host}; keepalive 256; }
  server { listen 127.0.0.1:${port}; keepalive_requests 1000000; location / { proxy_pass http://up; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header X-Forwarded-For $remote_addr; } }
}
`,
  );
  const master = spawn(
    'nginx',
    ['-c', join(folder, 'nginx.conf'), '-e', join(folder, 'error.log')],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const exited = new Promise<void>((resolve) => master.once('exit', () => resolve()));
  const worker = await until(
    () =>
      Number(
        readFileSync(`/proc/${master.pid}/task/${master.pid}/children`, 'utf8')
          .trim()
          .split(' ')[0],
      ) || undefined,
  );
  return {
    url: `http://127.0.0.1:${port}`,
    managementUrl: '',
    pid: worker,
    stop: async () => {
      master.kill('SIGTERM');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function until<T>(look: () => T | undefined, limitMs = 5_000): Promise<T> {
  const deadline = Date.now() + limitMs;
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    if (Date.now() > deadline) throw new Error('nginx did not start');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
