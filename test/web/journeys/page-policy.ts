import assert from 'node:assert/strict';
import { BLOCKED } from '../harmless.ts';
import { check, withPage } from '../harness.ts';
import type { Setup } from '../setup.ts';

/** Directive of the policy -> what it blocks. */
const ATTEMPTS: Readonly<Record<string, string>> = {
  'img-src': "add('img', { src: 'https://elsewhere.test/a.png' })",
  'connect-src': "fetch('https://elsewhere.test/').catch(() => {})",
  'frame-src': "add('iframe', { src: 'https://elsewhere.test/' })",
  'form-action': "add('form', { action: 'https://elsewhere.test/' }).submit()",
  'base-uri': "add('base', { href: 'https://elsewhere.test/' })",
  'media-src': "new Audio('https://elsewhere.test/a.mp3').play().catch(() => {})",
  'font-src': "new FontFace('a', 'url(https://elsewhere.test/a.woff2)').load().catch(() => {})",
  'style-src-elem': "add('style', { textContent: 'a { color: red }' })",
  'style-src-attr': "document.body.setAttribute('style', 'color: red')",
  'script-src-elem': "import('https://elsewhere.test/a.js').catch(() => {})",
};

/** What Trusted Types reject. */
const THROWING = [
  "document.body.innerHTML = '<b>x</b>'",
  "new Worker('data:text/javascript,1')",
  "document.createElement('object').data = 'https://elsewhere.test/'",
  "document.createElement('script').src = 'https://elsewhere.test/a.js'",
  "document.body.setAttribute('onclick', 'x')",
  "trustedTypes.createPolicy('other', {})",
];

const toErrorName = (expression: string): string =>
  `(() => { try { ${expression}; return 'allowed'; } catch (error) { return error.name; } })()`;

/** Returns an expression that attempts something: true when the browser reports that the directive blocks it. */
const toViolation = (directive: string, attempt: string): string => `new Promise((resolve) => {
  document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
    if (effectiveDirective === '${directive}') resolve(true);
  });
  setTimeout(() => resolve(false), 20_000);
  const add = (name, values) => document.body.appendChild(Object.assign(document.createElement(name), values));
  ${attempt};
})`;

/** Each part of the policy blocks what it is for. */
export async function checkPolicy(setup: Setup, project: string): Promise<void> {
  await check(setup, 'the policy of the page blocks HTML from text, inline code, and other servers', () =>
    withPage(
      setup,
      {},
      async (page) => {
        await page.goto(project);
        await page.getByRole('heading', { level: 1 }).waitFor();
        for (const expression of THROWING)
          assert.equal(await page.evaluate(toErrorName(expression)), 'TypeError', expression);
        for (const [directive, attempt] of Object.entries(ATTEMPTS))
          assert.equal(await page.evaluate(toViolation(directive, attempt)), true, `The policy allows ${attempt}`);
      },
      BLOCKED,
    ),
  );
}
