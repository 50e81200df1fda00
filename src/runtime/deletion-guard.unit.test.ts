import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '#test/engines/scratch.ts';
import { testClock } from '#test/support/test-clock.ts';
import { acquireDeletionGuard, GUARDS_DIRECTORY, hasDeletionGuard } from './deletion-guard.ts';

test('keeps a directory until all leases are released', async () => {
  const directory = join(await scratchDirectory('hearth-hold-'), 'new');
  const clock = testClock();
  assert.equal(await hasDeletionGuard(directory, clock), false);
  const [one, other] = [await acquireDeletionGuard(directory, clock), await acquireDeletionGuard(directory, clock)];
  await one();
  assert.equal(await hasDeletionGuard(directory, clock), true);
  await other();
  assert.equal(await hasDeletionGuard(directory, clock), false);
});

test('ignores and deletes the lease of a dead process after ten minutes', async () => {
  const directory = await scratchDirectory('hearth-hold-');
  const clock = testClock();
  await acquireDeletionGuard(directory, clock);
  clock.advance(599);
  assert.equal(await hasDeletionGuard(directory, clock), true);
  clock.advance(1);
  assert.equal(await hasDeletionGuard(directory, clock), false);
  assert.deepEqual(await readdir(join(directory, GUARDS_DIRECTORY)), []);
});
