import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmissionFilter } from './admission-filter.ts';

test('what was asked for is known from the second time on', () => {
  const asked = new AdmissionFilter();
  assert.deepEqual(
    [asked.admit('a'), asked.admit('a'), asked.admit('b'), asked.admit('a')],
    [false, true, false, true],
  );
});

test('long keys that differ at their end only are told apart', () => {
  const asked = new AdmissionFilter();
  const long = 'select '.repeat(1000);
  assert.deepEqual([asked.admit(`${long}[1]`), asked.admit(`${long}[2]`)], [false, false]);
});

test('what was asked for long ago makes room for what is asked for now', () => {
  const asked = new AdmissionFilter();
  asked.admit('first');
  for (let i = 0; i < 500_000; i++) asked.admit(`other ${i}`);
  assert.equal(asked.admit('first'), false);
});
