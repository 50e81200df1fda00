import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createShares } from './shares.ts';

test('one network takes no more than its share, all together no more than there is, and what is given back is free', () => {
  const shares = createShares({ each: 5, all: 8 });
  assert.equal(shares.take('192.0.2.1', 5), true);
  assert.equal(shares.take('192.0.2.1', 1), false);
  assert.equal(shares.take('2001:db8::1', 3), true);
  assert.equal(shares.take('2001:db8::2', 1), false, 'there is no more');
  shares.giveBack('192.0.2.1', 2);
  assert.equal(shares.take('2001:db8::2', 2), true);
  assert.equal(shares.take('2001:db8::3', 1), false, 'one network');
});
