import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chooseReadme } from './readme.ts';

test('prefers a markup readme to a plain text one', () => {
  assert.equal(chooseReadme(['LICENSE', 'README', 'readme.md']), 'readme.md');
  assert.equal(chooseReadme(['README.txt', 'README.rst']), 'README.rst');
  assert.equal(chooseReadme(['README']), 'README');
  assert.equal(chooseReadme(['readme-old', 'src']), null);
});
