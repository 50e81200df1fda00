import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countByDay } from './burn-up-days.ts';

const issue = (created: string, closed: string | null = null) => ({
  created_at: `${created}T10:00:00.000Z`,
  closed_at: closed === null ? null : `${closed}T10:00:00.000Z`,
});

const count = (issues: ReturnType<typeof issue>[], start: string | null, now: string) =>
  countByDay(issues, start, Date.parse(now)).map(({ total, closed }) => [total, closed]);

test('counts issues and closed ones at the end of each day', () => {
  const issues = [issue('2026-11-01', '2026-11-03'), issue('2026-11-02')];
  assert.deepEqual(count(issues, null, '2026-11-04T08:00:00.000Z'), [
    [1, 0],
    [2, 0],
    [2, 1],
    [2, 1],
  ]);
});

test('begins with the first day of the plan, which may be before or after the first issue', () => {
  const issues = [issue('2026-11-02', '2026-11-03')];
  assert.equal(count(issues, '2026-10-30', '2026-11-04T08:00:00.000Z').length, 6);
  assert.deepEqual(count(issues, '2026-11-03', '2026-11-03T08:00:00.000Z'), [[1, 1]]);
});

test('has no days without issues and before the first day, and at most a year', () => {
  assert.deepEqual(count([], null, '2026-11-04T08:00:00.000Z'), []);
  assert.deepEqual(count([issue('2026-11-01')], '2099-01-01', '2026-11-04T08:00:00.000Z'), []);
  assert.equal(count([issue('2016-11-01')], null, '2026-11-04T08:00:00.000Z').length, 366);
});
