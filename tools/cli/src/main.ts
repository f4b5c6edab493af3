import { readFileSync } from 'node:fs';
import { readEnvironment } from './environment.ts';
import { openBrowser } from './open-browser.ts';
import { runCommandLine } from './run-command-line.ts';

const { version } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
) as { version: string };

/** Where the client is registered to be called back. The server compares exactly, port included. */
const CALLBACK_PORTS = [8400, 8401, 8402];

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort(new Error(signal)));
// A reader that has seen enough, like `head`, is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? 0 : 1);
});

process.exitCode = await runCommandLine(process.argv.slice(2), {
  readEnvironment: () => readEnvironment(process.env, process.platform),
  streams: { out: process.stdout, err: process.stderr },
  version,
  fetch: (address, options) =>
    fetch(address, {
      ...options,
      headers: withUserAgent(options?.headers),
    }),
  now: Date.now,
  signal: interruption.signal,
  openBrowser: (url, { hasDisplay }) => openBrowser(url, process.platform, hasDisplay),
  callbackPorts: CALLBACK_PORTS,
});

function withUserAgent(headers: ConstructorParameters<typeof Headers>[0]): Headers {
  const all = new Headers(headers);
  all.set('user-agent', `gatepost-cli/${version}`);
  return all;
}
