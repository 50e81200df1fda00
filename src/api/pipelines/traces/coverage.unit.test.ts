import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COVERAGE_SCAN_BYTES, findCoverage } from './coverage.ts';

test('yields to other work while it searches a log of a million empty lines', async () => {
  let turns = 0;
  const others = setInterval(() => {
    turns++;
  }, 1);
  try {
    assert.equal(await findCoverage('\n'.repeat(COVERAGE_SCAN_BYTES), '/Cov: \\d+/'), null);
  } finally {
    clearInterval(others);
  }
  assert.ok(turns > 1, `others had ${turns}`);
});
