import assert from 'node:assert/strict';
import { test } from 'node:test';
import { trimCharacters, trimEndCharacters, truncateToBytes, truncateToCharacters } from './trim.ts';

test('trims characters only at the ends', () => {
  assert.equal(trimCharacters('/-a/b-/', '/-'), 'a/b');
  assert.equal(trimEndCharacters('/-a/b-/', '/-'), '/-a/b');
  for (const nothing of ['', '//'])
    assert.deepEqual([trimCharacters(nothing, '/'), trimEndCharacters(nothing, '/')], ['', '']);
});

test('truncates a text between characters', () => {
  assert.deepEqual(
    [4, 5, 6, 7].map((most) => truncateToBytes('aé€z', most)),
    ['aé', 'aé', 'aé€', 'aé€z'],
  );
  assert.deepEqual(
    [1, 2, 3].map((most) => truncateToCharacters('a😀b', most)),
    ['a', 'a😀', 'a😀b'],
  );
});
