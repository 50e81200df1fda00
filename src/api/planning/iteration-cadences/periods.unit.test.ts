import assert from 'node:assert/strict';
import { test } from 'node:test';
import { earliestStart, type Period, planned } from './periods.ts';

const rhythm = { start_date: '2026-01-01', duration_in_weeks: 1, iterations_in_advance: 2 };
const period = (start_date: string, due_date: string): Period => ({ start_date, due_date });
const first = period('2026-01-01', '2026-01-07');
const second = period('2026-01-08', '2026-01-14');
const third = period('2026-01-15', '2026-01-21');

test('a cadence that has begun gets a current iteration and those in advance, back to back', () => {
  assert.deepEqual(planned(rhythm, { today: '2026-01-07', begun: null, upcoming: [] }, false), {
    moved: [],
    added: [first, second, third],
    nextRun: '2026-01-08',
    whole: true,
  });
});

test('one that begins later gets only those in advance', () => {
  const { added, nextRun } = planned(rhythm, { today: '2025-12-31', begun: null, upcoming: [] }, false);
  assert.deepEqual([added, nextRun], [[first, second], '2026-01-01']);
});

test('those that are there are not made again, and after a long silence the past ones follow as well', () => {
  const nothing = planned(rhythm, { today: '2026-01-03', begun: first, upcoming: [second, third] }, false);
  assert.deepEqual(nothing, { moved: [], added: [], nextRun: '2026-01-08', whole: true });
  const { added } = planned(rhythm, { today: '2026-02-01', begun: third, upcoming: [] }, false);
  assert.deepEqual(
    added.map(({ start_date }) => start_date),
    ['2026-01-22', '2026-01-29', '2026-02-05', '2026-02-12'],
  );
});

test('another length moves those that have not begun, and leaves the current one its days', () => {
  const standing = { today: '2026-01-03', begun: first, upcoming: [second, third] };
  const { moved, added } = planned({ ...rhythm, duration_in_weeks: 2 }, standing, true);
  assert.deepEqual(moved, [
    { iteration: second, period: period('2026-01-08', '2026-01-21') },
    { iteration: third, period: period('2026-01-22', '2026-02-04') },
  ]);
  assert.deepEqual(added, []);
});

test('a later start leaves days free, an earlier one makes the first of them current', () => {
  const standing = { today: '2026-01-03', begun: first, upcoming: [second] };
  const later = planned({ ...rhythm, start_date: '2026-03-01', iterations_in_advance: 1 }, standing, true);
  assert.deepEqual([later.moved[0]!.period, later.nextRun], [period('2026-03-01', '2026-03-07'), '2026-03-01']);
  const earlier = planned(rhythm, { today: '2026-01-03', begun: null, upcoming: [second, third] }, true);
  assert.deepEqual([earlier.moved.map((one) => one.period), earlier.added], [[first, second], [third]]);
});

test('the earliest start is that of an iteration whose last day is today', () => {
  assert.equal(earliestStart('2026-01-14', 2), '2026-01-01');
});
