import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PASSWORD } from '../crash/process.ts';
import type { Setup } from './setup.ts';

/** Runs checks of the web application in a browser and counts them. */

export const count = { passed: 0, failed: 0, skipped: 0 };

/** Runs a check of a group and prints its result. Groups run at the same time. */
export async function check({ group }: Pick<Setup, 'group'>, name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    count.passed++;
    process.stdout.write(`${group}: ${name}: ok\n`);
  } catch (error) {
    count.failed++;
    process.stdout.write(`${group}: ${name}: failed\n${error instanceof Error ? error.stack : error}\n`);
  }
}

/** Returns a function that returns the errors that the browser has reported in a page since its last call, except expected ones. */
function watchErrors(page: Page, expectedErrors: RegExp): () => string[] {
  const errors: string[] = [];
  const add = (error: string) => {
    if (!expectedErrors.test(error)) errors.push(error);
  };
  page.on('console', (message) => {
    if (message.type() === 'error') add(message.text());
  });
  page.on('pageerror', (error) => add(error.message));
  return () => errors.splice(0);
}

/**
 * Runs a check in a page of the browser. An error that the browser reports fails it, except expected ones. `run` may take the errors
 * earlier, so that each of several checks in one page fails for its own.
 */
export async function withPage(
  { browser, base }: Pick<Setup, 'browser' | 'base'>,
  options: BrowserContextOptions,
  run: (page: Page, takeErrors: () => string[]) => Promise<void>,
  expectedErrors = /^$/,
): Promise<void> {
  const context = await browser.newContext({ baseURL: base, ...options });
  try {
    const page = await context.newPage();
    const takeErrors = watchErrors(page, expectedErrors);
    await run(page, takeErrors);
    assert.deepEqual(takeErrors(), []);
  } finally {
    await context.close();
  }
}

/** Signs in, by default as the administrator. */
export async function signIn(
  page: Page,
  { username, password } = { username: 'root', password: PASSWORD },
): Promise<void> {
  await page.goto('/explore');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Username or e-mail address').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Explore projects' }).waitFor();
}

/** Returns the cookies of a browser in which the administrator has signed in. */
export async function createSession({ browser, base }: Pick<Setup, 'browser' | 'base'>) {
  const context = await browser.newContext({ baseURL: base });
  await signIn(await context.newPage());
  const storageState = await context.storageState();
  await context.close();
  return storageState;
}

const WIDE = { width: 1280, height: 900 };

/** The screens on which each page is opened. */
export const SCREENS = {
  light: { colorScheme: 'light', viewport: WIDE },
  dark: { colorScheme: 'dark', viewport: WIDE },
  small: { colorScheme: 'light', viewport: { width: 390, height: 800 } },
} as const satisfies Readonly<Record<string, BrowserContextOptions>>;

/** The maximum processor time of one task of a page, in milliseconds. */
export const MAX_TASK_MS = 100;

/** A mark by which the events of the page are known. */
const MEASURED_PAGE = 'measured page';

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds of the processor. */
  readonly tdur?: number;
}

/** Returns the processor time of the longest task of a page in milliseconds while something runs: other programs do not count. */
export async function measureLongestTask(page: Page, run: () => Promise<void>): Promise<number> {
  const browser = page.context().browser()!;
  await browser.startTracing(page, { categories: ['toplevel', '__metadata', 'blink.user_timing'] });
  await run();
  await page.evaluate(`performance.mark('${MEASURED_PAGE}')`);
  const { traceEvents: events } = JSON.parse((await browser.stopTracing()).toString()) as {
    readonly traceEvents: readonly TraceEvent[];
  };
  // The browser has pages of its own, such as that of its address bar.
  const { pid, tid } = events.find(({ name }) => name === MEASURED_PAGE)!;
  const tasks = events.filter((event) => event.tdur !== undefined && event.pid === pid && event.tid === tid);
  assert.ok(tasks.length > 0, 'the trace has no tasks');
  return Math.round(Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000);
}
