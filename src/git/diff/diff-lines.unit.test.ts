import assert from 'node:assert/strict';
import { test } from 'node:test';
import { locateLine } from './diff-lines.ts';

/** Line 10 is replaced by two lines, and lines 100 and 101 are deleted. */
const DIFF = `@@ -9,3 +9,4 @@
 nine
-ten
+ten
+and a half
 eleven
@@ -99,4 +100,2 @@
 before
-a
-b
 after
`;
const NEW_FILE = '@@ -0,0 +1,2 @@\n+a\n+b\n';
const NEW_LINES_WITHOUT_CONTEXT = '@@ -5,0 +6,2 @@\n+a\n+b\n';

test('locates changed lines, and unchanged lines at any distance by both of their numbers', () => {
  const cases: [string, number | null, number | null, ReturnType<typeof locateLine>][] = [
    [DIFF, null, 10, 'diff'],
    [DIFF, 10, null, 'diff'],
    [DIFF, 9, 9, 'diff'],
    [DIFF, 1, 1, 'diff'],
    [DIFF, 8, 8, 'diff'],
    [DIFF, 12, 13, 'diff'],
    [DIFF, 98, 99, 'diff'],
    [DIFF, 102, 101, 'diff'],
    [DIFF, 103, 102, 'after'],
    [DIFF, 5_000, 4_999, 'after'],
    [DIFF, 1, 2, null],
    [DIFF, 10, 10, null],
    [DIFF, 50, 50, null],
    [DIFF, 50, 49, null],
    [DIFF, 103, 103, null],
    [DIFF, null, 50, null],
    [DIFF, 50, null, null],
    [DIFF, 0, 0, null],
    [DIFF, null, null, null],
    [NEW_FILE, null, 2, 'diff'],
    [NEW_FILE, 1, 1, null],
    [NEW_LINES_WITHOUT_CONTEXT, 5, 5, 'diff'],
    [NEW_LINES_WITHOUT_CONTEXT, null, 6, 'diff'],
    [NEW_LINES_WITHOUT_CONTEXT, 6, 8, 'after'],
    ['', 7, 7, 'after'],
    ['', 7, 8, null],
  ];
  for (const [text, oldLine, newLine, expected] of cases)
    assert.equal(locateLine(text, { oldLine, newLine }), expected, `${oldLine} ${newLine}`);
});
