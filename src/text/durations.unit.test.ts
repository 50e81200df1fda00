import assert from 'node:assert/strict';
import test from 'node:test';
import { parseDuration, WORK_CALENDAR } from './durations.ts';

const [MINUTE, HOUR, DAY] = [60, 3600, 86_400];

for (const [text, seconds] of [
  ['1h 30m', 5400],
  ['1h30m', 5400],
  ['2h20min', 2 * HOUR + 20 * MINUTE],
  ['30 minutes', 1800],
  ['3 days', 3 * DAY],
  ['1 week', 7 * DAY],
  ['2 HOURS', 2 * HOUR],
  ['3 Mins 4 Sec', 184],
  ['2 hrs 5 min', 7500],
  ['6 mos 1 day', 181 * DAY],
  ['1 month', 30 * DAY],
  ['18 months', 540 * DAY],
  ['1 year 6 mos 1 day', 31_557_600 + 181 * DAY],
  ['1 Day and 2 Hours', DAY + 2 * HOUR],
  ['3 weeks, 2 days', 23 * DAY],
  ['3 weeks and, 2 days', 23 * DAY],
  ['3 weeks, plus 2 days', 23 * DAY],
  ['3 weeks with 2 days', 23 * DAY],
  ['1.5 hours', 5400],
  ['.5h', 1800],
  ['90', 90],
  ['1:30:00', 5400],
  ['1:20', 80],
  ['1 : 20', 80],
  ['2:00:00:00', 2 * DAY],
  ['  1 minute ', 60],
  ['1\tminute', 60],
  ['day', DAY],
  ['minute 30s', 90],
  ['day 1', DAY + 1],
  ['1 day 2', DAY + 2],
  ['one week', 7 * DAY],
  ['thirty minutes', 1800],
  ['twenty five minutes', 25 * MINUTE],
  ['twenty-five minutes', 25 * MINUTE],
  ['one hundred and five days', 105 * DAY],
  ['two thousand seconds', 2000],
  ['two hours and twenty minutes', 2 * HOUR + 20 * MINUTE],
  ['0', 0],
  ['0 days', 0],
] as const) {
  test(`parses ${JSON.stringify(text)} as ${seconds} seconds`, () => assert.equal(parseDuration(text), seconds));
}

for (const text of [
  ...['', ' ', 'never', 'soon', '-1 day', '+1 day', '1 fortnight', '1d!', '1.', '1,000 minutes', '1 week.', 'a week'],
  ...['1:2:3:4:5:6:7', '1 '.repeat(200)],
]) {
  test(`rejects ${JSON.stringify(text.slice(0, 20))} as a duration`, () => assert.equal(parseDuration(text), null));
}

for (const [text, hours] of [
  ['3', 3],
  ['1d', 8],
  ['2 weeks', 80],
  ['1w 2d', 56],
  ['one month', 160],
  ['1mo', 160],
  ['1:30:00', 1.5],
] as const) {
  test(`parses ${text} as ${hours} hours of work`, () =>
    assert.equal(parseDuration(text, WORK_CALENDAR, 'hours'), hours * HOUR));
}
