import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** The accessibility trees of the pages, in one file per page. Reviewers read their differences. */

const directory = join(import.meta.dirname, 'aria');

const SUFFIX = '.aria.txt';
const toFile = (name: string): string => join(directory, `${name}${SUFFIX}`);

/** What differs from run to run -> what the files have in its place. */
const UNSTABLE: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/http:\/\/127\.0\.0\.1:\d+/g, 'http://SERVER'],
  [/\b[0-9a-f]{40}\b/g, 'SHA'],
  // One that looks like a number is quoted.
  [/^( *- code: )"([0-9a-f]{8})"$/gm, '$1$2'],
  [/\b[0-9a-f]{8}\b/g, 'SHORT_SHA'],
  [/\bglptt-[\w-]+/g, 'TRIGGER_TOKEN'],
  [/^( *- time: ).*$/gm, '$1TIME'],
  [/\b\d+ (?:second|minute|hour|day|week|month|year)s? ago\b/g, 'TIME'],
  [/\bin \d+ (?:second|minute|hour|day|week|month|year)s?\b/g, 'TIME'],
  [/\b[A-Z][a-z]{2} \d{1,2}, \d{4}, \d\d:\d\d\b/g, 'TIME'],
  // Dates of the test data are in the year 2099.
  [/\b20(?!99)\d\d-\d\d-\d\d\b/g, 'DATE'],
  [/\bon \d+ days? of the last year/g, 'on DAYS of the last year'],
  [/\b\d+ (?:h|min|s)\b(?: \d+ (?:min|s)\b)?/g, 'DURATION'],
];

async function readTree(page: Page): Promise<string> {
  let tree = await page.ariaSnapshot();
  for (const [pattern, replacement] of UNSTABLE) tree = tree.replace(pattern, replacement);
  return `${tree}\n`;
}

/** Asserts that the open page shows the tree of its file, or will when its texts are formatted. */
export async function checkTree(page: Page, name: string): Promise<void> {
  const file = toFile(name);
  const expected = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const end = performance.now() + 10_000;
  let tree = await readTree(page);
  while (tree !== expected && performance.now() < end) {
    await page.waitForTimeout(100);
    tree = await readTree(page);
  }
  const hint = 'if the change is intended, run `npm run test:web -- --write` to update it';
  assert.equal(tree, expected, `The accessibility tree of ${name} differs; ${hint}`);
}

/** Writes the tree of the open page to its file when all texts are formatted and it no longer changes. */
export async function writeTree(page: Page, name: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('div.plain-text').first().waitFor({ state: 'detached' });
  let [before, tree] = ['', await readTree(page)];
  while (tree !== before) {
    await page.waitForTimeout(500);
    [before, tree] = [tree, await readTree(page)];
  }
  mkdirSync(directory, { recursive: true });
  writeFileSync(toFile(name), tree);
}

/** Returns the files that belong to none of these pages. */
export function listOtherTrees(names: readonly string[]): string[] {
  return readdirSync(directory).filter((file) => !names.some((name) => file === `${name}${SUFFIX}`));
}

/** Removes the files of pages that no longer exist. */
export function removeOtherTrees(names: readonly string[]): void {
  for (const file of listOtherTrees(names)) rmSync(join(directory, file));
}
