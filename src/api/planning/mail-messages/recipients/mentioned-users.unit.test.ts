import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMentionedUsernames } from './mentioned-users.ts';

test('finds each mentioned username once', () => {
  const rows: [text: string, names: string[]][] = [
    ['@mira', ['mira']],
    ['Ask @Mira, @otto.k and (@mira).', ['mira', 'otto.k']],
    ["@mira's idea, @otto-", ['mira', 'otto']],
    ['mira@hearth.test and @@mira', []],
    ['See @forge/anvil', []],
    ['`@mira` and\n```\n@otto\n```', []],
    ['@ mira @-', []],
  ];
  for (const [text, names] of rows) assert.deepEqual(findMentionedUsernames(text), names, text);
});

test('limits the number of mentions and runs in linear time', () => {
  const many = Array.from({ length: 50_000 }, (_, n) => `@user${n}`).join(' ');
  assert.equal(findMentionedUsernames(many).length, 100);
  assert.deepEqual(findMentionedUsernames('@'.repeat(500_000)), []);
  assert.deepEqual(findMentionedUsernames(`@${'a'.repeat(500_000)}`).length, 1);
});
