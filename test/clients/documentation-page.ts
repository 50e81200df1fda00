// Reads /api/docs in Chromium, as a person does: one line a step.
import assert from 'node:assert/strict';
import { chromium, type Page } from 'playwright-core';
import { step } from './step.ts';

const address = `${process.env.HEARTH!}/api/docs`;
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] });
const context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
const complaints: string[] = [];

async function open(fragment = '', viewport = { width: 1280, height: 900 }): Promise<Page> {
  const page = await context.newPage();
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => void complaints.push(error.message));
  await page.setViewportSize(viewport);
  await page.goto(address + fragment);
  await page.waitForSelector('.endpoint');
  return page;
}

const boxOf = async (page: Page, selector: string) => (await page.locator(selector).boundingBox())!;
const isOpen = (page: Page, id: string) => page.locator(`#${id}[open]`).isVisible();

await step('groups are in the order of the document', async () => {
  const page = await open();
  const names = await page.locator('#tags h2').allTextContents();
  assert.deepEqual([names[0], names.at(-1)], ['Projects and groups', 'Administration']);
});

await step('a link opens its operation and scrolls to it', async () => {
  const page = await open('#createProject');
  assert.ok(await isOpen(page, 'createProject'));
  const [operation, header] = [await boxOf(page, '#createProject'), await boxOf(page, 'header')];
  assert.ok(operation.y >= header.height && operation.y < 300, `at ${operation.y}`);
});

await step('a link to a hidden operation clears the search', async () => {
  const page = await open();
  await page.keyboard.press('/');
  await page.keyboard.type('cherry dry_run');
  assert.equal(await page.locator('.endpoint:visible').count(), 1);
  await page.goto(`${address}#listIssues`);
  await page.locator('#listIssues[open]').waitFor();
});

await step('the keyboard opens an operation, and a link to it closes nothing', async () => {
  const page = await open('#listIssues');
  await page.locator('#listIssues > summary').focus();
  await page.keyboard.press('Enter');
  assert.equal(await isOpen(page, 'listIssues'), false);
  await page.keyboard.press('Enter');
  await page.locator('#listIssues .permalink').click();
  assert.ok(await isOpen(page, 'listIssues'));
});

await step('the command and the link can be copied', async () => {
  const page = await open('#createIssue');
  const copied = () => page.evaluate('navigator.clipboard.readText()') as Promise<string>;
  await page.locator('#createIssue .code button').first().click();
  const command = await copied();
  assert.match(command, /^curl .*--request POST.*PRIVATE-TOKEN: <your_access_token>.*--data '\{"title":/s);
  await page.locator('#createIssue .links button').click();
  assert.equal(await copied(), `${address}#createIssue`);
});

await step('descriptions show code as code, and the example of the response', async () => {
  const page = await open('#createProject');
  const row = page.locator('#createProject tr', { hasText: 'visibility' }).first();
  assert.ok((await row.locator('td:last-child code').allTextContents()).includes('internal'));
  const example = await page.locator('#createProject pre').nth(1).textContent();
  assert.ok((JSON.parse(example!) as { path_with_namespace?: string }).path_with_namespace);
});

await step('a narrow screen shows it without scrolling sideways', async () => {
  const page = await open('#createProject', { width: 390, height: 844 });
  const [width, visible] = (await page.evaluate('[document.documentElement.scrollWidth, innerWidth]')) as number[];
  assert.ok(width! <= visible!, `${width} wide`);
  assert.equal(await page.locator('#tags').isVisible(), false);
  await page.locator('#menu > summary').click();
  assert.ok(await page.locator('#tags').isVisible());
});

await step('no page has broken its own rules', () => assert.deepEqual(complaints, []));

await browser.close();
