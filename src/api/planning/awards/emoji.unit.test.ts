import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEmojiName } from './emoji.ts';

test('finds an emoji by short name and by alias', () => {
  for (const [name, main] of [
    ['thumbsup', 'thumbsup'],
    ['+1', 'thumbsup'],
    ['-1', 'thumbsdown'],
    ['satisfied', 'laughing'],
    ['100', '100'],
    ['1st_place_medal', '1st_place_medal'],
    ['zzz', 'zzz'],
    ['', null],
    ['=', null],
    ['Heart', null],
    ['constructor', null],
  ] as const) {
    assert.equal(findEmojiName(name), main, name);
  }
});
