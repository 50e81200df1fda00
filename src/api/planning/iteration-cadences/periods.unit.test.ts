import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getEarliestStart, type Period, planSchedule } from './periods.ts';

const rhythm = { start_date: '2026-01-01', duration_in_weeks: 1, iterations_in_advance: 2 };
const period = (start_date: string, due_date: string): Period => ({ start_date, due_date });
const first = period('2026-01-01', '2026-01-07');
const second = period('2026-01-08', '2026-01-14');
const third = period('2026-01-15', '2026-01-21');

test('plans a current iteration and upcoming ones back to back', () => {
  assert.deepEqual(
    planSchedule(rhythm, { today: '2026-01-07', latestStarted: null, upcoming: [] }, { reschedule: false }),
    {
      rescheduledIterations: [],
      newPeriods: [first, second, third],
      nextRun: '2026-01-08',
      isComplete: true,
    },
  );
});

test('plans only upcoming iterations for a later start', () => {
  const { newPeriods: added, nextRun } = planSchedule(
    rhythm,
    { today: '2025-12-31', latestStarted: null, upcoming: [] },
    { reschedule: false },
  );
  assert.deepEqual([added, nextRun], [[first, second], '2026-01-01']);
});

test('keeps existing iterations and fills the past ones after a long gap', () => {
  const nothing = planSchedule(
    rhythm,
    { today: '2026-01-03', latestStarted: first, upcoming: [second, third] },
    { reschedule: false },
  );
  assert.deepEqual(nothing, { rescheduledIterations: [], newPeriods: [], nextRun: '2026-01-08', isComplete: true });
  const { newPeriods: added } = planSchedule(
    rhythm,
    { today: '2026-02-01', latestStarted: third, upcoming: [] },
    { reschedule: false },
  );
  assert.deepEqual(
    added.map(({ start_date }) => start_date),
    ['2026-01-22', '2026-01-29', '2026-02-05', '2026-02-12'],
  );
});

test('moves upcoming iterations for a new duration and keeps the current one', () => {
  const standing = { today: '2026-01-03', latestStarted: first, upcoming: [second, third] };
  const { rescheduledIterations: moved, newPeriods: added } = planSchedule(
    { ...rhythm, duration_in_weeks: 2 },
    standing,
    {
      reschedule: true,
    },
  );
  assert.deepEqual(moved, [
    { iteration: second, period: period('2026-01-08', '2026-01-21') },
    { iteration: third, period: period('2026-01-22', '2026-02-04') },
  ]);
  assert.deepEqual(added, []);
});

test('leaves a gap for a later start, and makes the first iteration current for an earlier one', () => {
  const standing = { today: '2026-01-03', latestStarted: first, upcoming: [second] };
  const later = planSchedule({ ...rhythm, start_date: '2026-03-01', iterations_in_advance: 1 }, standing, {
    reschedule: true,
  });
  assert.deepEqual(
    [later.rescheduledIterations[0]!.period, later.nextRun],
    [period('2026-03-01', '2026-03-07'), '2026-03-01'],
  );
  const earlier = planSchedule(
    rhythm,
    { today: '2026-01-03', latestStarted: null, upcoming: [second, third] },
    { reschedule: true },
  );
  assert.deepEqual(
    [earlier.rescheduledIterations.map((one) => one.period), earlier.newPeriods],
    [[first, second], [third]],
  );
});

test('returns the earliest start, whose iteration ends today', () => {
  assert.equal(getEarliestStart('2026-01-14', 2), '2026-01-01');
});
