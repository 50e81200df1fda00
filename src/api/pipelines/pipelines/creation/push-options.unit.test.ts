import assert from 'node:assert/strict';
import test from 'node:test';
import { parsePushOptions } from './on-push.ts';

for (const [options, skip, variables] of [
  [[], false, {}],
  [['ci.skip'], true, {}],
  [['ci.skip=1'], false, {}],
  [['ci.variable=KEY=value'], false, { KEY: 'value' }],
  [['ci.variable="KEY=a b=c"'], false, { KEY: 'a b=c' }],
  [['ci.variable=KEY=1', 'ci.variable=OTHER=', 'ci.variable=KEY=2'], false, { KEY: '2', OTHER: '' }],
  [['ci.variable=KEY', 'ci.variable', 'ci.variable=A B=1', `ci.variable=K=${'x'.repeat(10_001)}`], false, {}],
] as const) {
  test(`parses ${JSON.stringify(options).slice(0, 60)} as ${JSON.stringify(variables)}`, () => {
    const parsed = parsePushOptions(options);
    assert.equal(parsed.skip, skip);
    assert.deepEqual(Object.fromEntries(parsed.variables.map(({ key, value }) => [key, value])), variables);
  });
}
