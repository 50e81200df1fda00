import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { systemClock } from '#runtime/clock.ts';
import { type PrimaryClient, PrimaryFailure } from '../primary/client.ts';
import { createCallerChecks } from './caller-checks.ts';

const request = {
  headers: { 'private-token': 'glpat-1' },
  clientAddress: '192.0.2.1',
  query: '',
} as unknown as IncomingRequest;
const copy = { id: 1, path: 'group/project', replicable_name: 'project_repository', replicable_id: 1 } as never;

/** Returns the checks of a secondary whose primary answers with these results, one for each request. */
function checksWith(results: readonly (() => unknown)[]) {
  const remaining = [...results];
  const client = { requestRaw: async () => remaining.shift()!() } as unknown as PrimaryClient;
  const primary = { findReplicable: async () => ({ path: 'group/project' }) } as never;
  return { checks: createCallerChecks({ client, getPrimary: () => primary, clock: systemClock }), remaining };
}

const unavailable = () => {
  throw new PrimaryFailure('unavailable', 'The primary does not respond');
};
const allowed = () => ({
  status: 200,
  headers: { 'content-type': 'application/x-git-upload-pack-advertisement' },
  body: { destroy: () => {} },
});

test('all callers of one check that fails at the same time may not fetch, and the next call checks again', async () => {
  const { checks, remaining } = checksWith([unavailable, allowed]);
  const calls = [
    checks.canFetch(request, copy),
    checks.canFetch(request, copy),
    checks.requiresCredentials(request, copy),
  ];
  assert.deepEqual(await Promise.all(calls), [false, false, false]);
  assert.equal(await checks.canFetch(request, copy), true);
  assert.equal(remaining.length, 0);
});
