import assert from 'node:assert/strict';
import { test } from 'node:test';
import { usernamesIn } from './mentioned-users.ts';

test('a text addresses the users whose names it says after an at sign, each once', () => {
  const rows: [text: string, names: string[]][] = [
    ['@mira', ['mira']],
    ['Ask @Mira, @otto.k and (@mira).', ['mira', 'otto.k']],
    ["@mira's idea, @otto-", ['mira', 'otto']],
    ['mira@hearth.test and @@mira', []],
    ['See @forge/anvil', []],
    ['`@mira` and\n```\n@otto\n```', []],
    ['@ mira @-', []],
  ];
  for (const [text, names] of rows) assert.deepEqual(usernamesIn(text), names, text);
});

test('of very many names some are looked at, in time that grows with the text alone', () => {
  const many = Array.from({ length: 50_000 }, (_, n) => `@user${n}`).join(' ');
  assert.equal(usernamesIn(many).length, 100);
  assert.deepEqual(usernamesIn('@'.repeat(500_000)), []);
  assert.deepEqual(usernamesIn(`@${'a'.repeat(500_000)}`).length, 1);
});
