import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { checkTree, listOtherTrees, removeOtherTrees, writeTree } from './aria-trees.ts';
import { check, SCREENS, withPage } from './harness.ts';
import type { Addresses, Setup } from './setup.ts';

const AXE = readFileSync(join(import.meta.dirname, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** Returns what axe (WCAG 2.2 AA and best practices) finds; with `rules`, only these are tried. */
function runAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  return page.evaluate(async (runOnly) => {
    // biome-ignore lint/suspicious/noExplicitAny: axe is a global of the page
    const { violations } = await (globalThis as any).axe.run({
      resultTypes: ['violations'],
      // The only rule of WCAG 2.2 is off by default.
      ...(runOnly === undefined ? { rules: { 'target-size': { enabled: true } } } : { runOnly }),
    });
    return violations.map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
  }, rules);
}

/** The rules of axe that depend on colours. The dark scheme changes nothing else. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Returns the faults that the loaded page has on a screen. */
async function findFaults(page: Page, screen: keyof typeof SCREENS): Promise<string[]> {
  const { colorScheme, viewport } = SCREENS[screen];
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize(viewport);
  const findings = await runAxe(page, screen === 'dark' ? COLOR_RULES : undefined);
  const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  return overflow > 0 ? [...findings, `${overflow} px wider than the screen`] : findings;
}

async function open(page: Page, path: string): Promise<void> {
  await page.setViewportSize(SCREENS.light.viewport);
  await page.emulateMedia({ colorScheme: SCREENS.light.colorScheme });
  await page.goto(path);
  await page.getByRole('heading', { level: 1 }).waitFor();
}

/**
 * Timers of a second or more do not fire: no page is read again, and the formatting of a text is not ended on a loaded machine.
 * Shorter ones do, because rendering needs them.
 */
const STOP_LONG_TIMERS = `{
  const start = globalThis.setTimeout;
  globalThis.setTimeout = (run, delay = 0, ...values) => (delay < 1000 ? start(run, delay, ...values) : 0);
}`;

/** Runs checks in a tab that opens many pages one after the other: it keeps the scripts of the application compiled. */
async function withTab(
  setup: Setup,
  session: Setup['session'] | undefined,
  run: Parameters<typeof withPage>[2],
  expectedErrors?: RegExp,
): Promise<void> {
  const options = { reducedMotion: 'reduce' as const, ...(session === undefined ? {} : { storageState: session }) };
  await withPage(
    setup,
    options,
    async (page, takeErrors) => {
      await page.addInitScript(STOP_LONG_TIMERS);
      await run(page, takeErrors);
    },
    expectedErrors,
  );
}

/** Checks each page as a visitor and as the administrator. */
export async function checkPages(setup: Setup, addresses: Addresses): Promise<void> {
  await withTab(setup, setup.session, async (page, takeErrors) => {
    for (const [name, path] of addresses)
      await check(setup, name, async () => {
        await open(page, path);
        assert.equal(await page.locator('.state').count(), 0, 'the page shows an error');
        await checkTree(page, name);
        await page.evaluate(AXE);
        const faults: Record<string, string[]> = {};
        for (const screen of ['light', 'dark', 'small'] as const) faults[screen] = await findFaults(page, screen);
        assert.deepEqual({ ...faults, errors: takeErrors() }, { light: [], dark: [], small: [], errors: [] });
      });
  });
  await check(setup, 'each accessibility tree belongs to a page', async () =>
    assert.deepEqual(listOtherTrees(addresses.map(([name]) => name)), []),
  );
  await withTab(
    setup,
    undefined,
    async (page, takeErrors) => {
      for (const [name, path] of addresses)
        await check(setup, `${name}, anonymous`, async () => {
          await open(page, path);
          await page.evaluate(AXE);
          assert.deepEqual([await findFaults(page, 'light'), takeErrors()], [[], []]);
        });
    },
    /status of 40[134]/,
  );
}

/** Writes the accessibility tree of each page as the administrator. */
export async function writeTrees(setup: Setup, addresses: Addresses): Promise<void> {
  removeOtherTrees(addresses.map(([name]) => name));
  await withTab(setup, setup.session, async (page) => {
    for (const [name, path] of addresses)
      await check(setup, `${name}, written`, async () => {
        await open(page, path);
        await writeTree(page, name);
      });
  });
}
