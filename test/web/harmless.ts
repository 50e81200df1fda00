import assert from 'node:assert/strict';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { withPage } from './harness.ts';
import type { Setup } from './setup.ts';

/** What the policy of the page blocks is an error in the console. */
export const BLOCKED = /Content Security [Pp]olicy|Blocked script execution|Failed to load resource|requires 'Trusted/;

/** Runs a check in a page in which scripts and requests of foreign text would be noticed. */
export async function withHarmlessPage(
  setup: Setup,
  options: BrowserContextOptions,
  run: (page: Page) => Promise<void>,
): Promise<void> {
  await withPage(
    setup,
    options,
    async (page) => {
      const requests: string[] = [];
      await page.context().route(
        (url) => url.origin !== setup.base,
        (route) => {
          requests.push(route.request().url());
          return route.abort();
        },
      );
      await page.addInitScript('globalThis.alert = () => { globalThis.hasRun = true; }');
      await run(page);
      assert.deepEqual(requests, [], 'requests to other servers');
      assert.equal(page.context().pages().length, 1, 'the text opened a window');
    },
    BLOCKED,
  );
}

/** Returns what in a document could run or load something, and what in foreign content is no harmless text. */
const FIND_HARM = `(() => {
  const found = [];
  if ('hasRun' in globalThis) found.push('a script has run');
  const active = [
    'script:not([src^="/-/web/"])', 'style', 'iframe', 'object', 'embed', 'base', 'math', 'template', 'svg script', '.markdown svg',
  ];
  for (const { tagName } of document.querySelectorAll(active.join())) found.push(tagName);
  for (const element of document.querySelectorAll('*'))
    for (const { name, value } of element.attributes)
      if (name.startsWith('on') || /^\\s*(?:javascript|data|vbscript):/i.test(value)) found.push(name + '=' + value);
  const foreign = [
    'form', 'button', 'select', 'textarea', 'dialog', 'video', 'audio', 'input:not([type=checkbox][disabled])', '[style]', '[name]',
    '[target]', '[id]:not([id^=user-content-])',
  ];
  for (const content of document.querySelectorAll('.markdown')) {
    for (const { outerHTML } of content.querySelectorAll(foreign.join())) found.push(outerHTML);
    for (const { className } of content.querySelectorAll('[class]'))
      if (!/^(?:(?:hljs|language)-[\\w-]+(?: \\w+_)*|scroll)$/.test(className)) found.push('class ' + className);
    for (const { href } of content.querySelectorAll('a')) if (!/^(?:https?:|mailto:|$)/.test(href)) found.push(href);
    for (const { src } of content.querySelectorAll('img')) if (new URL(src).origin !== location.origin) found.push(src);
  }
  return found;
})()`;

/** Asserts that no script has run, and that the document has only elements and attributes of the application and of harmless text. */
export async function assertHarmless(page: Page, text: string): Promise<void> {
  assert.deepEqual(await page.evaluate(FIND_HARM), [], text);
  assert.equal(page.frames().length, 1, text);
}
