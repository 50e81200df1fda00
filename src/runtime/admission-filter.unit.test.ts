import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AskedBefore } from './admission-filter.ts';

test('what was asked for is known from the second time on', () => {
  const asked = new AskedBefore();
  assert.deepEqual([asked.note('a'), asked.note('a'), asked.note('b'), asked.note('a')], [false, true, false, true]);
});

test('long keys that differ at their end only are told apart', () => {
  const asked = new AskedBefore();
  const long = 'select '.repeat(1000);
  assert.deepEqual([asked.note(`${long}[1]`), asked.note(`${long}[2]`)], [false, false]);
});

test('what was asked for long ago makes room for what is asked for now', () => {
  const asked = new AskedBefore();
  asked.note('first');
  for (let i = 0; i < 500_000; i++) asked.note(`other ${i}`);
  assert.equal(asked.note('first'), false);
});
