import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toHtmlParagraphs } from './html-paragraphs.ts';
import { derivePath } from './validation.ts';

test('derives a path from a name', () => {
  const rows = [
    ['My Project', 'my-project'],
    ['Über  größe', 'uber-gro-e'],
    ['C++ & co.', 'c-co'],
    ['v1.2 tools_x', 'v1.2-tools_x'],
    ['-.dots.-', 'dots'],
    ['日本', ''],
  ] as const;
  for (const [name, path] of rows) assert.equal(derivePath(name), path);
});

test('converts a description to paragraphs and escapes markup', () => {
  assert.equal(toHtmlParagraphs(''), '');
  assert.equal(
    toHtmlParagraphs('a <b>\n\n\n"c" & \'d\''),
    '<p dir="auto">a &lt;b&gt;</p>\n<p dir="auto">&quot;c&quot; &amp; &#39;d&#39;</p>',
  );
});
