import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSearchWords } from './word-search.ts';

for (const [text, words] of [
  ['', []],
  ['   ', []],
  ['one', ['one']],
  ['  one\ttwo \n one ', ['one', 'two']],
  ['"two words" more', ['two words', 'more']],
  ['more "two words"', ['more', 'two words']],
  ['" two  words "', [' two  words ']],
  ['say "hi', ['say', '"hi']],
  ['5" nail"s', ['5"', 'nail"s']],
  ['"a"b "c"', ['"a"b', 'c']],
  ['""', ['""']],
  ['"', ['"']],
] as const) {
  test(`the words of ${JSON.stringify(text)} are ${JSON.stringify(words)}`, () => {
    assert.deepEqual(parseSearchWords(text), words);
  });
}
