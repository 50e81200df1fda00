import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COVERAGE_SCAN_BYTES, findCoverage } from './index.ts';

for (const [log, pattern, coverage] of [
  ['Total 81.5%', '/Total (\\d+\\.\\d+)/', 81.5],
  ['TOTAL 81%', '/total (\\d+)/i', 81],
  ['TOTAL 81%', '/total (\\d+)/', null],
] as const) {
  test(`${pattern} finds ${coverage} in ${log}`, async () => assert.equal(await findCoverage(log, pattern), coverage));
}

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
