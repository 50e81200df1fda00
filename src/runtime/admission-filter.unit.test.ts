import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AdmissionFilter } from './bounded-cache.ts';

test('admits a key from its second request on', () => {
  const asked = new AdmissionFilter();
  assert.deepEqual(
    [asked.admit('a'), asked.admit('a'), asked.admit('b'), asked.admit('a')],
    [false, true, false, true],
  );
});

test('distinguishes long keys that differ only at the end', () => {
  const asked = new AdmissionFilter();
  const long = 'select '.repeat(1000);
  assert.deepEqual([asked.admit(`${long}[1]`), asked.admit(`${long}[2]`)], [false, false]);
});

test('evicts old keys for new ones', () => {
  const asked = new AdmissionFilter();
  asked.admit('first');
  for (let i = 0; i < 500_000; i++) asked.admit(`other ${i}`);
  assert.equal(asked.admit('first'), false);
});
