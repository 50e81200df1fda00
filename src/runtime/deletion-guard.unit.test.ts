import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { scratchDirectory } from '#test/engines/scratch.ts';
import { testClock } from '#test/support/test-clock.ts';
import { acquireDeletionGuard, GUARDS_DIRECTORY, hasDeletionGuard } from './deletion-guard.ts';

test('a directory is held until all who hold it let it go', async () => {
  const directory = join(await scratchDirectory('hearth-hold-'), 'new');
  const clock = testClock();
  assert.equal(await hasDeletionGuard(directory, clock), false);
  const [one, other] = [await acquireDeletionGuard(directory, clock), await acquireDeletionGuard(directory, clock)];
  await one();
  assert.equal(await hasDeletionGuard(directory, clock), true);
  await other();
  assert.equal(await hasDeletionGuard(directory, clock), false);
});

test('a hold whose process has died holds nothing after ten minutes, and goes', async () => {
  const directory = await scratchDirectory('hearth-hold-');
  const clock = testClock();
  await acquireDeletionGuard(directory, clock);
  clock.advance(599);
  assert.equal(await hasDeletionGuard(directory, clock), true);
  clock.advance(1);
  assert.equal(await hasDeletionGuard(directory, clock), false);
  assert.deepEqual(await readdir(join(directory, GUARDS_DIRECTORY)), []);
});
