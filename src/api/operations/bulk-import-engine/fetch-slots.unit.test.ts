import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Git } from '#git/git.ts';
import { takeFetchSlot } from './fetch-slots.ts';

function fakeGit() {
  let now = 0;
  const git = { processes: {}, clock: { now: () => new Date(now) } } as unknown as Git;
  return { take: (user: number) => takeFetchSlot(git, user), advance: (ms: number) => (now += ms) };
}

test('a user has one slot at most', () => {
  const { take } = fakeGit();
  const slot = take(1);
  assert.equal(take(1), null);
  slot!.release();
  assert.notEqual(take(1), null);
});

test('a user who has waited for a minute comes before those who came later', () => {
  const { take, advance } = fakeGit();
  const [first, second] = [take(1), take(2)];
  assert.deepEqual([take(3), take(4)], [null, null]);
  for (let tries = 0; tries < 3; tries++) {
    advance(20_000);
    assert.equal(take(3), null);
  }
  first!.release();
  assert.equal(take(5), null);
  assert.notEqual(take(3), null);
  second!.release();
  assert.notEqual(take(5), null);
});

test('a user who no longer waits keeps nobody from a slot', () => {
  const { take, advance } = fakeGit();
  const slots = [take(1), take(2)];
  assert.equal(take(3), null);
  advance(60_000);
  slots[0]!.release();
  assert.notEqual(take(4), null);
});

test('a slot is contended while another user waits', () => {
  const { take, advance } = fakeGit();
  const slot = take(1);
  take(2);
  take(1);
  assert.equal(slot!.isContended(), false);
  take(3);
  assert.equal(slot!.isContended(), true);
  advance(30_001);
  assert.equal(slot!.isContended(), false);
});
