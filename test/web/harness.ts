import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { PASSWORD } from '../crash/process.ts';
import type { Setup } from './setup.ts';

/** Runs checks of the web application in a browser and counts them. */

export const count = { passed: 0, failed: 0, skipped: 0 };

/** Runs a check and prints its result. */
export async function check(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    count.passed++;
    process.stdout.write(`${name}: ok\n`);
  } catch (error) {
    count.failed++;
    process.stdout.write(`${name}: failed\n${error instanceof Error ? error.stack : error}\n`);
  }
}

/** Runs a check in a page of the browser. An error that the browser reports fails it, except expected ones. */
export async function withPage(
  { browser, base }: Pick<Setup, 'browser' | 'base'>,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
  expectedErrors = /^$/,
): Promise<void> {
  const context = await browser.newContext({ baseURL: base, ...options });
  try {
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('console', (message) => {
      if (message.type() === 'error') errors.push(message.text());
    });
    page.on('pageerror', (error) => errors.push(error.message));
    await run(page);
    assert.deepEqual(
      errors.filter((error) => !expectedErrors.test(error)),
      [],
    );
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
