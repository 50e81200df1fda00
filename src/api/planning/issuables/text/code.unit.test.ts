import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findCodeRanges } from './code.ts';

/** Texts, and the same texts without code. */
function withoutCode(rows: readonly [text: string, rest: string][]) {
  for (const [text, rest] of rows) {
    const code = findCodeRanges(text);
    assert.equal([...text].filter((_, at) => !code.has(at)).join(''), rest, text);
  }
}

test('finds inline code and code fenced by backticks', () => {
  withoutCode([
    ['`a` b ``c ` d`` e', ' b  e'],
    ['`a\nb` c', ' c'],
    ['a `b\n\nc `d` e', 'a `b\n\nc  e'],
    ['a `b\r\n \r\nc `d` e', 'a `b\r\n \r\nc  e'],
    ['- a `b\n- c `d` e', '- a `b\n- c  e'],
    ['# a `b\n2. c `d` e', '# a `b\n2. c  e'],
    ['```\na\n\nb ` c\n```\nd', '\nd'],
    ['1. ```\n   a\n\n   ```\nb', '1. \nb'],
    ['a\n````\nb\n```\nc', 'a\n'],
    ['one ` alone', 'one ` alone'],
  ]);
});

test('finds code fenced by tildes', () => {
  withoutCode([
    ['~~~\na ```\n\n~~\n~~~~\nb', '\nb'],
    ['a\n  ~~~ruby\nb', 'a\n  '],
    ['```\n~~~\n```\na', '\na'],
    ['a ~~~\nb\n~~~~ c', 'a ~~~\nb\n'],
    ['~~a~~', '~~a~~'],
  ]);
});

test('finds indented code after a blank line, but not in lists', () => {
  withoutCode([
    ['    a\n\tb\nc', '\n\nc'],
    ['a\n\n    b\n\n    c\n   d', 'a\n\n\n\n\n   d'],
    ['a\n    b', 'a\n    b'],
    ['- a\n\n    b\n\n      c', '- a\n\n    b\n\n      c'],
    ['- a\n\nb\n\n    c', '- a\n\nb\n\n'],
    ['a\n\n    b ` c\nd `e` f', 'a\n\n\nd  f'],
    ['a\n\n    ```\nb\n    ```\nc', 'a\n\n    \nc'],
  ]);
});

test('ignores indentation on request', () => {
  const text = 'a\n\n    b `c`';
  const code = findCodeRanges(text, { indented: false });
  assert.deepEqual([code.has(text.indexOf('b')), code.has(text.indexOf('c'))], [false, true]);
});

test('treats a comment at the beginning of a line like code', () => {
  withoutCode([
    ['<!-- a --> b `c` d', ' b  d'],
    ['a\n  <!-- ` b\n\n    c\n    --> d `e` f\n\n    g', 'a\n   d  f\n\n'],
    ['a `b\n<!-- ` -->` c', 'a `b\n` c'],
    ['`<!--` a', ' a'],
    ['```\n<!--\n```\na', '\na'],
    ['a\n<!--\nb\n\n`c`', 'a\n'],
  ]);
});

test('takes linear time', () => {
  const begin = process.cpuUsage();
  for (const part of [
    '`',
    '` ',
    '\n',
    '~~~\n',
    '~~~a\n',
    '\n\n    ',
    '\t`\n',
    '- `\n',
    ' ',
    '``\n`\n',
    'a\n',
    '<!--\n',
    '<!---->`\n',
  ])
    findCodeRanges(part.repeat(2 ** 20 / part.length));
  const { user } = process.cpuUsage(begin);
  assert.ok(user < 2_000_000, `${user} µs`);
});
