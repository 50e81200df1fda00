import assert from 'node:assert/strict';
import { test } from 'node:test';
import { QueueFull } from '#runtime/concurrency-limiter.ts';
import { countScryptRuns, hashPassword, verifyPassword } from './passwords.ts';

test('a password is verified against its own hash only', async () => {
  const hash = await hashPassword('correct horse');
  assert.match(hash, /^\$scrypt\$ln=14,r=8,p=1\$[\w-]{22}\$[\w-]{43}$/);
  assert.equal(await verifyPassword(hash, 'correct horse'), true);
  assert.equal(await verifyPassword(hash, 'correct horsf'), false);
  assert.equal(await verifyPassword(hash, ''), false);
});

test('the same password hashed twice gives two hashes', async () => {
  assert.notEqual(await hashPassword('same'), await hashPassword('same'));
});

test('returns false for a missing or invalid hash after the same amount of work', async () => {
  for (const hash of [null, '', 'plain', '$scrypt$ln=14,r=8,p=1$$']) {
    const before = countScryptRuns();
    assert.equal(await verifyPassword(hash, 'anything'), false);
    assert.equal(countScryptRuns(), before + 1);
  }
});

test('a hash with older parameters still verifies', async () => {
  const older = '$scrypt$ln=4,r=8,p=1$AAAAAAAAAAAAAAAAAAAAAA$aJKqqCIa59Mg4tj5x2Fi1gmoHlWoLCcd5HnVi7phNzc';
  assert.equal(await verifyPassword(older, 'older'), true);
  assert.equal(await verifyPassword(older, 'newer'), false);
});

test('many concurrent verifications all finish', async () => {
  const hash = await hashPassword('busy');
  const answers = await Promise.all(Array.from({ length: 6 }, (_, i) => verifyPassword(hash, i % 2 ? 'busy' : 'idle')));
  assert.deepEqual(answers, [false, true, false, true, false, true]);
});

test('one network gets half of the two slots and of the 32 queue places', async () => {
  const flood = Array.from({ length: 40 }, () => verifyPassword(null, 'flood', { network: 'one' }));
  const other = verifyPassword(null, 'polite', { network: 'other' });
  const finished: string[] = [];
  const order = (name: string) => () => finished.push(name);
  const ends = [Promise.any(flood.slice(1)).then(order('flood')), other.then(order('polite'))];
  const all = await Promise.allSettled(flood);
  await Promise.all(ends);
  assert.equal(finished[0], 'polite');
  const refusals = all.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
  assert.equal(refusals.length, 40 - 1 - 16);
  assert.ok(refusals.every((reason) => reason instanceof QueueFull));
});
