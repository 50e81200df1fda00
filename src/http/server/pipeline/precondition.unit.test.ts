import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpError } from '#http/errors/http-error.ts';
import { checkPrecondition } from '../response/response.ts';

const UPDATED = '2026-01-02T03:04:05.500Z';

function isFailure(header: string, updatedAt: string | null = UPDATED): boolean {
  try {
    checkPrecondition(header, updatedAt);
    return false;
  } catch (thrown) {
    assert.ok(thrown instanceof HttpError);
    assert.deepEqual([thrown.status, thrown.body], [412, { message: '412 Precondition Failed' }]);
    return true;
  }
}

test('rejects a time before the last change, and accepts the same or a later time', () => {
  for (const header of [
    'Fri, 02 Jan 2026 03:04:05 GMT',
    '2026-01-02T03:04:05Z',
    '2026-01-02T03:04:05.499Z',
    '2026-01-02',
    '2026-01-02T04:04:05+01:00',
  ]) {
    assert.equal(isFailure(header), true, header);
  }
  for (const header of [
    'Fri, 02 Jan 2026 03:04:06 GMT',
    '2026-01-02T03:04:05.500Z',
    '2026-01-03',
    'Sat, 03 Jan 2026 00:00:00 GMT',
  ]) {
    assert.equal(isFailure(header), false, header);
  }
});

test('ignores an invalid date, and records without a timestamp', () => {
  for (const header of ['', 'garbage', '0', '2026-13-40', 'yesterday GMT', 'Fri, 99 Foo 2026 03:04:05 GMT']) {
    assert.equal(isFailure(header), false, header);
  }
  assert.equal(isFailure('2020-01-01', null), false);
});
