import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMarkdown, type Reference } from './dialect.ts';

const gfm = createMarkdown({ html: false, gfm: true });
const toHref = ({ kind, path, value }: Reference) => `/${kind}/${path}:${value}`;
const render = (text: string) => gfm.render(text, { toHref }).trim();

/** Returns the references of a text as `kind path:value`. */
const references = (text: string): string[] =>
  [...render(text).matchAll(/href="\/(\w+)\/([^"]*)">/g)].map(([, kind, rest]) => `${kind} ${rest}`);

test('references are links', () => {
  assert.equal(render('See #12.'), '<p>See <a href="/issue/:12">#12</a>.</p>');
  const cases: [text: string, references: string[]][] = [
    ['#1, !2 and &3', ['issue :1', 'merge_request :2', 'epic :3']],
    ['(#1)', ['issue :1']],
    ['group/sub-group/project#4', ['issue group/sub-group/project:4']],
    ['**#1**', ['issue :1']],
    ['@mira @ole.b-c_d. @group', ['user :mira', 'user :ole.b-c_d', 'user :group']],
    ['%v1.0 %"first release" %7', ['milestone :v1.0', 'milestone :first release', 'milestone :7']],
    ['~bug ~"needs work" ~kind::bug', ['label :bug', 'label :needs work', 'label :kind::bug']],
    ['fixed in 1a2b3c4d', ['commit :1a2b3c4d']],
    [`${'0a'.repeat(20)}`, [`commit :${'0a'.repeat(20)}`]],
  ];
  for (const [text, expected] of cases)
    assert.deepEqual(
      references(text),
      expected.map((reference) => reference.replaceAll('"', '&quot;')),
      text,
    );
});

test('other text is no reference', () => {
  const texts = [
    '\\#1',
    '`#1`',
    '```\n#1 @mira\n```',
    '[#1](https://elsewhere.test/#1)',
    '<https://elsewhere.test/#1>',
    'https://elsewhere.test/a/b/#1',
    '#1a #x ##1 #',
    'mira@hearth.test',
    '100% 50 %',
    '/etc/passwd#1',
    'defaced 1234567 1a2b3c 2026-11-29',
    '&#35;1',
    '~~gone~~',
    '#1234567890',
  ];
  for (const text of texts)
    assert.deepEqual(
      references(text).filter((reference) => !reference.startsWith('elsewhere')),
      [],
      text,
    );
  assert.equal(gfm.render('#1', { toHref: () => null }).trim(), '<p>#1</p>');
  assert.equal(createMarkdown({ html: false, gfm: false }).render('#1 @mira', { toHref }).trim(), '<p>#1 @mira</p>');
});

test('items of task lists have checkboxes', () => {
  const html = render('- [ ] open\n- [x] done\n- [y] text\n- [x](https://a.test) link');
  assert.match(html, /<li><input type="checkbox" disabled=""> open<\/li>/);
  assert.match(html, /<li><input type="checkbox" disabled="" checked=""> done<\/li>/);
  assert.match(html, /<li>\[y\] text<\/li>/);
  assert.equal(html.match(/<input/g)?.length, 2);
});

test('texts with a scheme are links, names of files are not', () => {
  assert.equal(render('https://a.test/b'), '<p><a href="https://a.test/b">https://a.test/b</a></p>');
  for (const text of ['readme.md', 'www.a.test', 'a@b.test', 'javascript:alert(1)', 'ftp://a.test'])
    assert.doesNotMatch(render(text), /<a/, text);
});

test('cells of tables are aligned without styles', () => {
  const html = render('| a | b |\n|---|--:|\n| 1 | 2 |');
  assert.match(html, /<th>a<\/th>\s*<th align="right">b<\/th>/);
  assert.match(html, /<td align="right">2<\/td>/);
});

test('HTML is escaped unless the caller sanitises it', () => {
  assert.equal(render('<b>a</b>'), '<p>&lt;b&gt;a&lt;/b&gt;</p>');
  assert.equal(createMarkdown({ html: true, gfm: true }).render('<b>a</b>').trim(), '<p><b>a</b></p>');
  assert.equal(
    createMarkdown({ html: true, gfm: true }).render('<a href="x">#1</a> #2', { toHref }).trim(),
    '<p><a href="x">#1</a> <a href="/issue/:2">#2</a></p>',
  );
});

test('hostile texts take linear time', () => {
  for (const text of ['a/', 'a#', '~"', '%"', '@a.', '1a', '@', 'a::', '[x] ', '#1 ']) {
    const startedAt = performance.now();
    render(text.repeat(50_000));
    assert.ok(performance.now() - startedAt < 3_000, text);
  }
});
