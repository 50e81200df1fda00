import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coverageIn, LOOKED_THROUGH } from './coverage.ts';

test('a log of a million empty lines lets others have their turns', async () => {
  let turns = 0;
  const others = setInterval(() => {
    turns++;
  }, 1);
  try {
    assert.equal(await coverageIn('\n'.repeat(LOOKED_THROUGH), '/Cov: \\d+/'), null);
  } finally {
    clearInterval(others);
  }
  assert.ok(turns > 1, `others had ${turns}`);
});
