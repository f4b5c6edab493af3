import { spawn } from 'node:child_process';

/** The command that opens an address, by platform. Addresses are passed as one argument, never through a shell. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Starts the user's browser; false where there is none. */
export function openBrowser(
  url: string,
  platform: NodeJS.Platform,
  hasDisplay: boolean,
): Promise<boolean> {
  // The address comes from a discovery document: nothing but a web page is ever opened.
  if (!hasDisplay || !/^https?:\/\//i.test(url)) return Promise.resolve(false);
  const [command, ...options] = OPENERS[platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(command, [...options, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
