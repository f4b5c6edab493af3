import { installPackages } from './apt.ts';
import { findProgram } from './run-command.ts';
import { addressOf, type Provided, type Say, ServiceUnavailable } from './service.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser that CHROMIUM_PATH names, else the one on PATH, else Debian's. */
export async function provideChromium(say: Say): Promise<Provided> {
  let path = process.env['CHROMIUM_PATH'] ?? findProgram(...NAMES);
  if (path === undefined) {
    await installPackages(['chromium'], say);
    path = findProgram(...NAMES);
  }
  if (path === undefined)
    throw new ServiceUnavailable('no Chromium is installed', 'sudo apt-get install chromium');
  return { address: path, release: async () => undefined };
}

/** The program to give to playwright-core as `executablePath`. */
export function chromiumPath(): string {
  return addressOf('chromium');
}
