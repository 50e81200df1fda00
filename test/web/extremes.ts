// `node bin/launcher.js test/web/extremes.ts DATA NAME...`: pictures of the pages with these names, or of all, in screenshots/extremes/, with
// data that pages hardly have room for. DATA is `long` or `right-to-left` for names, or the number of rows of each list, such as 10000.
// Prints the pages that scroll sideways or have thousands of elements.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { listAddresses } from '#test/support/web-pages.ts';
import { buildWeb } from '../../scripts/web.ts';
import { PASSWORD, startVictim, TOKEN } from '../crash/process.ts';
import { SCREENS, signIn } from './harness.ts';
import { createMember, multiplyRows } from './many-rows.ts';
import { createNameValues, LONG_NAMES, RIGHT_TO_LEFT_NAMES } from './name-values.ts';
import { createPageValues, type Post } from './page-values.ts';

/** The number of elements from which a page takes noticeably long to appear. */
const MANY_ELEMENTS = 5000;

const NAMES = { long: LONG_NAMES, 'right-to-left': RIGHT_TO_LEFT_NAMES };

const [data = '', ...names] = process.argv.slice(2);
const pictures = join(import.meta.dirname, '../../screenshots/extremes');
const directory = mkdtempSync(join(tmpdir(), 'hearth-web-'));
await buildWeb();
let server = await startVictim(directory, undefined);
const post: Post = async (path, body) => {
  const response = await fetch(`${server.address}/api/v4${path}`, {
    method: 'POST',
    headers: { 'PRIVATE-TOKEN': TOKEN, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(response.ok, `${path}: ${response.status}`);
  return (await response.json()) as Awaited<ReturnType<Post>>;
};
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
try {
  const values = await createValues();
  const addresses = listAddresses(values).filter(([name]) => names.length === 0 || names.includes(name));
  const username = data in NAMES ? (values.username ?? '') : 'root';
  rmSync(pictures, { recursive: true, force: true });
  mkdirSync(pictures, { recursive: true });
  for (const [screen, options] of Object.entries(SCREENS)) {
    const page = await browser.newPage({ baseURL: server.address, ...options });
    await signIn(page, { username, password: PASSWORD });
    for (const [name, path] of addresses) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
      if (overflow > 0) process.stdout.write(`${name}, ${screen}: ${overflow} px wider than the screen\n`);
      const elements = await page.locator('*').count();
      if (elements > MANY_ELEMENTS) process.stdout.write(`${name}, ${screen}: ${elements} elements\n`);
      await page.screenshot({ path: join(pictures, `${name}-${screen}.png`), fullPage: elements <= MANY_ELEMENTS });
    }
    await page.close();
  }
} finally {
  await browser.close();
  await server.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** Creates the data; returns the values of the parameters of addresses. */
async function createValues(): Promise<Readonly<Record<string, string>>> {
  if (data in NAMES) return createNameValues(post, NAMES[data as keyof typeof NAMES]);
  await post('/projects', { name: 'first-stove', visibility: 'public' });
  const values = await createPageValues(post, 'root/first-stove');
  await createMember(post, values);
  await server.stop();
  multiplyRows(directory, Number(data));
  server = await startVictim(directory, undefined);
  return values;
}
