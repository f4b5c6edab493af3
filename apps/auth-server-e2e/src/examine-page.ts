import axe from 'axe-core';
import type { Page } from 'playwright-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** What is wrong with the page on the screen: faults that axe finds, text that runs off the side, targets too small to hit. */
export async function findFaults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const broken = await page.evaluate(async (rules) => {
    const { axe: engine } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await engine.run(document, { runOnly: rules });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.target.join(' ')} ${node.failureSummary ?? ''}`),
    );
  }, RULES);
  const runsOff = await page.evaluate(
    () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
  );
  // WCAG 2.2, 2.5.8: 24 by 24 CSS pixels; links within a sentence are exempt.
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('button, input:not([type=hidden]), a.button, summary')]
      .map((element) => ({ box: element.getBoundingClientRect(), name: element.outerHTML }))
      .filter(({ box }) => box.width < 20 || box.height < 20)
      .map(({ name }) => name.slice(0, 100)),
  );
  return [
    ...broken,
    ...(runsOff ? ['the page runs off the side'] : []),
    ...small.map((name) => `too small to hit: ${name}`),
  ];
}
