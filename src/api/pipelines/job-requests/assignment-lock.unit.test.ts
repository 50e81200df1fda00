import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Services } from '#http/services.ts';
import { withAssignmentLock } from './claim-job.ts';

const newServer = () => ({ config: {} }) as Services;

test('returns locked for a job that another request is assigning, until that request has finished', async () => {
  const [services, { promise, resolve }] = [newServer(), Promise.withResolvers<string>()];
  const first = withAssignmentLock(services, 1, () => promise);
  assert.equal(await withAssignmentLock(services, 1, async () => 'mine'), 'locked');
  assert.equal(await withAssignmentLock(services, 2, async () => 'mine'), 'mine');
  resolve('done');
  assert.equal(await first, 'done');
  assert.equal(await withAssignmentLock(services, 1, async () => 'mine'), 'mine');
});

test('releases the lock after an error, and locks per server', async () => {
  const services = newServer();
  await assert.rejects(withAssignmentLock(services, 1, () => Promise.reject(new Error('no'))));
  const lockOnOtherServer = () => withAssignmentLock(newServer(), 1, async () => 'mine');
  assert.equal(await withAssignmentLock(services, 1, lockOnOtherServer), 'mine');
});
