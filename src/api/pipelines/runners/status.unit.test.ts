import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addMilliseconds } from '#runtime/clock.ts';
import { getRunnerStatus } from './status.ts';

const NOW = '2026-02-10T12:00:00.000Z';
const HOUR = 3_600_000;
const ago = (milliseconds: number) => addMilliseconds(NOW, -milliseconds);
const WEEK = 7 * 24 * HOUR;

test('derives the status of a runner from the time of its last contact', () => {
  const cases = [
    ['never_contacted', null, ago(0)],
    ['never_contacted', null, ago(WEEK - 1)],
    ['stale', null, ago(WEEK)],
    ['online', ago(0), ago(WEEK)],
    ['online', ago(2 * HOUR - 1), ago(WEEK)],
    ['offline', ago(2 * HOUR), ago(WEEK)],
    ['offline', ago(WEEK - 1), ago(2 * WEEK)],
    ['stale', ago(WEEK), ago(2 * WEEK)],
    ['offline', ago(WEEK), ago(HOUR)],
  ] as const;
  for (const [status, contacted_at, created_at] of cases) {
    assert.equal(getRunnerStatus({ contacted_at, created_at }, NOW), status, `${contacted_at} ${created_at}`);
  }
});

test('a pause shows only on runners that were heard of within seven days', () => {
  const paused = (contacted_at: string | null) =>
    getRunnerStatus({ contacted_at, created_at: ago(WEEK), paused: true }, NOW);
  assert.deepEqual([ago(0), ago(3 * HOUR), ago(WEEK), null].map(paused), ['paused', 'paused', 'stale', 'stale']);
  assert.equal(getRunnerStatus({ contacted_at: null, created_at: NOW, paused: true }, NOW), 'never_contacted');
});
