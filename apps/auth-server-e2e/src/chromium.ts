import { chromiumPath } from '@gatepost/test-services';
import { type Browser, chromium } from 'playwright-core';

/** Headless, also for root, and without a word to anybody but the pages under test. */
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath(), args: FLAGS });
}

/** How a person may have set up their browser. */
export const APPEARANCES = {
  light: { colorScheme: 'light', viewport: { width: 1100, height: 800 } },
  dark: { colorScheme: 'dark', viewport: { width: 1100, height: 800 } },
  'a small screen': { colorScheme: 'light', viewport: { width: 360, height: 740 } },
  'text at 200 %': {
    colorScheme: 'light',
    viewport: { width: 640, height: 512 },
    deviceScaleFactor: 2,
  },
} as const;
