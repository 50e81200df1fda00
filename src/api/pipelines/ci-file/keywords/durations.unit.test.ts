import assert from 'node:assert/strict';
import test from 'node:test';
import { parseCiDuration } from './durations.ts';

for (const [text, seconds] of [
  ['1h 30m', 5400],
  ['1h30m', 5400],
  ['30 minutes', 1800],
  ['3 days', 259_200],
  ['1 week', 604_800],
  ['2 hrs 5 min', 7500],
  ['3 mins 4 sec', 184],
  ['6 mos 1 day', 15_638_400],
  ['1 month', 2_592_000],
  ['1 Day and 2 Hours', 93_600],
  ['3 weeks, 2 days', 1_987_200],
  ['1.5 hours', 5400],
  ['90', 90],
  ['1:30:00', 5400],
  ['  1 minute ', 60],
] as const) {
  test(`parses ${text} as ${seconds} seconds`, () => assert.equal(parseCiDuration(text), seconds));
}

for (const text of [
  '',
  'never',
  'soon',
  '0',
  '0 days',
  '-1 day',
  '1 fortnight',
  'day 1',
  '1 day 2',
  '1d!',
  '1 '.repeat(200),
]) {
  test(`rejects ${JSON.stringify(text.slice(0, 20))} as a duration`, () => assert.equal(parseCiDuration(text), null));
}
