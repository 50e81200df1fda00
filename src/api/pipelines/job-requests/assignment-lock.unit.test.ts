import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Services } from '#http/services.ts';
import { withAssignmentLock } from './assignment-lock.ts';

const server = () => ({ config: {} }) as Services;

test('what one request has in hand another passes over, until it is laid down', async () => {
  const [services, { promise, resolve }] = [server(), Promise.withResolvers<string>()];
  const first = withAssignmentLock(services, 1, () => promise);
  assert.equal(await withAssignmentLock(services, 1, async () => 'mine'), 'in hand');
  assert.equal(await withAssignmentLock(services, 2, async () => 'mine'), 'mine');
  resolve('done');
  assert.equal(await first, 'done');
  assert.equal(await withAssignmentLock(services, 1, async () => 'mine'), 'mine');
});

test('what went wrong lies in nobody’s hand, and each server has hands of its own', async () => {
  const services = server();
  await assert.rejects(withAssignmentLock(services, 1, () => Promise.reject(new Error('no'))));
  const inside = () => withAssignmentLock(server(), 1, async () => 'mine');
  assert.equal(await withAssignmentLock(services, 1, inside), 'mine');
});
