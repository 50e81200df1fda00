import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMergeRequestOptions } from './apply.ts';

test('takes the last value of a repeated option; an empty one clears it', () => {
  const parse = (...titles: readonly string[]) =>
    parseMergeRequestOptions(titles.map((value) => ({ name: 'merge_request.title', value }))).title;
  assert.equal(parse('a', 'b'), 'b');
  assert.equal(parse('a', ''), undefined);
  assert.equal(parse('', 'a'), 'a');
  assert.equal(parse(), undefined);
});
