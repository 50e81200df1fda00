import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstBytes, firstCharacters, trimmed, trimmedEnd } from './trim.ts';

test('characters are cut off the ends and nowhere else', () => {
  assert.equal(trimmed('/-a/b-/', '/-'), 'a/b');
  assert.equal(trimmedEnd('/-a/b-/', '/-'), '/-a/b');
  for (const nothing of ['', '//']) assert.deepEqual([trimmed(nothing, '/'), trimmedEnd(nothing, '/')], ['', '']);
});

test('the beginning of a text is cut between characters', () => {
  assert.deepEqual(
    [4, 5, 6, 7].map((most) => firstBytes('aé€z', most)),
    ['aé', 'aé', 'aé€', 'aé€z'],
  );
  assert.deepEqual(
    [1, 2, 3].map((most) => firstCharacters('a😀b', most)),
    ['a', 'a😀', 'a😀b'],
  );
});
