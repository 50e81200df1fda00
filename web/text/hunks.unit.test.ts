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

test('divides lines after those that something follows, and after each number of lines', () => {
  const lines = parseDiff(DIFF);
  const divide = (...keys: string[]) =>
    divideLines(lines, new Set(keys), 4).map(({ start, end, extra }) => [start, end, extra]);
  assert.deepEqual(divide(), [
    [0, 4, null],
    [4, 8, null],
    [8, 11, null],
  ]);
  assert.deepEqual(divide('_3', '3_4', '_12', '99_99'), [
    [0, 4, null],
    [4, 5, '_3'],
    [5, 6, '3_4'],
    [6, 8, null],
    [8, 11, '_12'],
  ]);
  assert.deepEqual(divideLines([], new Set(['1_1']), 4), []);
});

test('the key of a line has its numbers', () => {
  for (const line of parseDiff(DIFF)) {
    const key = toLineKey(line);
    if (key !== null) assert.deepEqual(parseLineKey(key), { oldLine: line.oldLine, newLine: line.newLine });
    else assert.ok(line.kind === 'hunk' || line.kind === 'note');
  }
});
