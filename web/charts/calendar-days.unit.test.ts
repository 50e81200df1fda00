import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listCalendarDays, listCalendarMonths } from './calendar-days.ts';

test('weeks begin on Monday, and the last one ends with the last day', () => {
  // A Wednesday.
  const days = listCalendarDays({}, '2026-11-25', 2);
  assert.equal(days.length, 10);
  assert.deepEqual(
    [days[0], days[6], days[7], days[9]].map((day) => [day?.date, day?.week, day?.weekday]),
    [
      ['2026-11-16', 0, 0],
      ['2026-11-22', 0, 6],
      ['2026-11-23', 1, 0],
      ['2026-11-25', 1, 2],
    ],
  );
  assert.equal(listCalendarDays({}, '2026-11-29', 1).length, 7);
});

test('days have the quarter of the greatest count', () => {
  const counts = { '2026-11-23': 1, '2026-11-24': 5, '2026-11-25': 8 };
  assert.deepEqual(
    listCalendarDays(counts, '2026-11-26', 1).map(({ count, level }) => [count, level]),
    [
      [1, 1],
      [5, 3],
      [8, 4],
      [0, 0],
    ],
  );
});

test('months are named at their first week, unless the next one is too near', () => {
  const labels = (lastDate: string, weeks: number) =>
    listCalendarMonths(listCalendarDays({}, lastDate, weeks)).map(({ week, label }) => `${week} ${label}`);
  assert.deepEqual(labels('2026-11-29', 8), ['0 Oct', '4 Nov']);
  assert.deepEqual(labels('2026-11-29', 6), ['2 Nov']);
  assert.equal(labels('2026-11-29', 53).length, 12);
});
