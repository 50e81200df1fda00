import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { createHtmlPage, markup } from './html-page.ts';

test('every value is escaped, in text and in attributes, and markup in markup is not', () => {
  const evil = `<b a="1" c='2'>&`;
  const inner = markup`<i title="${evil}">${evil}</i>`;
  const escaped = '&#60;b a=&#34;1&#34; c=&#39;2&#39;&#62;&#38;';
  assert.equal(inner.text, `<i title="${escaped}">${escaped}</i>`);
  assert.equal(
    markup`<p>${inner}${null}${3}${[inner, inner]}</p>`.text,
    `<p>${inner.text}3${inner.text}${inner.text}</p>`,
  );
});

test('the title cannot end its element, and the head contains the CSRF token', () => {
  const { body } = createHtmlPage({ title: '</title><script>', main: markup`<p>x</p>`, csrfToken: 'T"' });
  assert.ok(!body.includes('<script>'));
  assert.ok(body.includes('<meta name="csrf-token" content="T&#34;">'));
  assert.ok(!createHtmlPage({ title: 'x', main: markup``, csrfToken: null }).body.includes('csrf-token'));
});

test('the content security policy allows only the own style and the declared form targets', () => {
  const { body, headers } = createHtmlPage({
    title: 'x',
    main: markup``,
    csrfToken: null,
    formTargets: ['https://app.test'],
  });
  const style = /<style>([\s\S]*)<\/style>/.exec(body)?.[1] ?? '';
  const policy = String(headers?.['Content-Security-Policy']);
  const digest = createHash('sha256').update(style).digest('base64');
  assert.equal(
    policy,
    `default-src 'none'; style-src 'sha256-${digest}'; form-action 'self' https://app.test; base-uri 'none'; frame-ancestors 'none'`,
  );
});
