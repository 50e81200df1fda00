import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseClosingIids } from './closing-keywords.ts';

test('a keyword closes the issues that follow it', () => {
  const rows: [text: string, iids: number[]][] = [
    ['Closes #1', [1]],
    ['close #1 closed #2 fix #3 fixes #4 fixed #5 resolve #6 resolves #7 resolved #8', [1, 2, 3, 4, 5, 6, 7, 8]],
    ['FIXES: #3', [3]],
    ['Closes #1, #2 and #3, and #4', [1, 2, 3, 4]],
    ['It fixes #9.\n\n- resolves  #10', [9, 10]],
    ['Fixes #1. Fixes #1', [1]],
    ['Squashed commit of the following:\n\ncommit 6f1e\n\n    Spin no more\n\n    Closes #1', [1]],
    ['The ` key.\n\nFixes #1, see `x`', [1]],
  ];
  for (const [text, iids] of rows) assert.deepEqual(parseClosingIids(text), iids, text);
});

test('ignores similar texts', () => {
  const texts = [
    '',
    'See #1',
    'encloses #1',
    'Closes#1',
    'Closes issue #1',
    'Closes #1a',
    'Closes #0',
    'Closes g/p#1',
    'Closes !1',
    'closing #1',
    '`Closes #1`',
    '```\nCloses #1\n```',
    '~~~\nCloses #1\n~~~',
    '<!-- Say here what it closes:\n\nCloses #1 -->\nNothing.',
    'Closes #12345678901234567890',
  ];
  for (const text of texts) assert.deepEqual(parseClosingIids(text), [], text);
});

test('ignores references after a non-closing reference', () => {
  assert.deepEqual(parseClosingIids('Fixes #1, see #2, #3'), [1]);
});

test('takes linear time for a mebibyte', () => {
  for (const part of ['closes #', 'closes #1 ', '# ', '`#', '          #1', 'closes#1,']) {
    const text = part.repeat(Math.floor(2 ** 20 / part.length));
    const started = process.cpuUsage();
    parseClosingIids(text);
    const { user, system } = process.cpuUsage(started);
    assert.ok(user + system < 1_000_000, `${part}: ${user + system} µs`);
  }
});
