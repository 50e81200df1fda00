import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countChanges, divideLines, parseDiff, parseLineKey, toLineKey } from './hunks.ts';

const DIFF = [
  '@@ -1,3 +1,4 @@',
  ' one',
  '-two',
  '+2',
  '+2.5',
  ' three',
  '@@ -10 +11,2 @@ function heat() {',
  '-ten',
  '\\ No newline at end of file',
  '+ten',
  '+@@ -1 +1 @@',
  '',
].join('\n');

const describeLines = (diff: string) =>
  parseDiff(diff).map(({ kind, oldLine, newLine, text }) => [kind, oldLine, newLine, text]);

test('numbers the lines of each hunk before and after the change', () => {
  assert.deepEqual(describeLines(DIFF), [
    ['hunk', null, null, '@@ -1,3 +1,4 @@'],
    ['context', 1, 1, ' one'],
    ['removed', 2, null, '-two'],
    ['added', null, 2, '+2'],
    ['added', null, 3, '+2.5'],
    ['context', 3, 4, ' three'],
    ['hunk', null, null, '@@ -10 +11,2 @@ function heat() {'],
    ['removed', 10, null, '-ten'],
    ['note', null, null, '\\ No newline at end of file'],
    ['added', null, 11, '+ten'],
    ['added', null, 12, '+@@ -1 +1 @@'],
  ]);
  assert.deepEqual(countChanges(parseDiff(DIFF)), { added: 4, removed: 2 });
});

test('a text without hunks has no lines', () => {
  for (const text of ['', '\n', 'Binary files a/stove.png and b/stove.png differ\n', '--- a/x\n+++ b/x\n'])
    assert.deepEqual(parseDiff(text), [], text);
});

test('lines end at line feeds only, and an empty line of context may have lost its sign', () => {
  assert.deepEqual(describeLines('@@ -1,2 +1,2 @@\n\n+a\rb\u2028c\r\n').slice(1), [
    ['context', 1, 1, ''],
    ['added', null, 2, '+a\rb\u2028c\r'],
  ]);
});

test('divides lines after those that something follows, and into segments of limited length', () => {
  const lines = parseDiff(DIFF);
  assert.deepEqual(
    divideLines(lines, (key) => key === '_3' || key === '3_4', 4),
    [
      { start: 0, end: 4, extra: null },
      { start: 4, end: 5, extra: '_3' },
      { start: 5, end: 6, extra: '3_4' },
      { start: 6, end: 10, extra: null },
      { start: 10, end: 11, extra: null },
    ],
  );
  assert.deepEqual(
    divideLines([], () => true, 4),
    [],
  );
});

test('the key of a line has its numbers', () => {
  for (const line of parseDiff(DIFF)) {
    const key = toLineKey(line);
    if (key !== null) assert.deepEqual(parseLineKey(key), { oldLine: line.oldLine, newLine: line.newLine });
    else assert.ok(line.kind === 'hunk' || line.kind === 'note');
  }
});
