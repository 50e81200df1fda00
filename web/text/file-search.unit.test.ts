import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findPaths } from './file-search.ts';

const PATHS = ['docs/fire.md', 'src/fire/door.ts', 'src/main.ts', 'src/misfire.ts', 'fire'];

test('names that begin with the text come first, then names with it, paths with it, and scattered characters', () => {
  assert.deepEqual(findPaths(PATHS, 'fire', 10), ['fire', 'docs/fire.md', 'src/misfire.ts', 'src/fire/door.ts']);
  assert.deepEqual(findPaths(PATHS, 'smts', 10), ['src/main.ts', 'src/misfire.ts']);
});

test('the case does not matter, and spaces are ignored', () => {
  assert.deepEqual(findPaths(PATHS, 'SRC main', 10), ['src/main.ts']);
  assert.deepEqual(findPaths(PATHS, 'src / MAIN', 10), ['src/main.ts']);
});

test('the number of results is limited', () => {
  assert.deepEqual(findPaths(PATHS, '', 2), ['docs/fire.md', 'src/fire/door.ts']);
  assert.deepEqual(findPaths(PATHS, 'fire', 1), ['fire']);
  assert.deepEqual(findPaths(PATHS, 'nothing', 1), []);
});
