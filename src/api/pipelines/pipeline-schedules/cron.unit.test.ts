import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findNextRun, findTimeZone, isCron, TIME_ZONE_ALIASES } from './cron.ts';

test('accepts five fields with numbers, names, ranges, steps and lists, and @daily', () => {
  for (const text of [
    ...['0 1 * * 5', '*/5 * * * *', '0 0-12/3 1,15 jan-mar mon-fri', '0 0 * * sun', '0 0 * * 7', '0 0 L * *'],
    ...['0 0 * * MON#1', '  0   1 * *  5 ', '0 0 29 2 *', '0 0 30 2 1', '@daily', '@hourly', '@weekly', '@monthly'],
    ...['@yearly', '@annually', '@midnight', '5/15 * * * *', '0,30 8/4 1/10 * MON/2'],
  ]) {
    assert.ok(isCron(text), text);
  }
});

test('rejects any other expression', () => {
  for (const text of [
    ...['', ' ', 'daily', '* * * *', '* * * * * *', '60 * * * *', '0 24 * * *', '0 0 0 * *', '0 0 32 * *'],
    ...['0 0 * 13 *', '0 0 * * 8', '5-1 * * * *', '*/0 * * * *', 'a b c d e', '0 0 ? * *', '0 0 15W * *'],
    ...['0 0 * * +5', '0 0 * * monday', '@reboot', '@every 5m', '@', '2026-01-01T00:00:00', '@daily @daily'],
    ...['/15 * * * *', '0 8,/4 * * *', '5/ * * * *', '5/0 * * * *', '1/2/3 * * * *'],
    ...['0 0 0 1 1 * 2030', `${'1,'.repeat(2000)}x * * * *`],
  ]) {
    assert.ok(!isCron(text), text);
  }
});

test('computes runs in the time zone, across changes of daylight saving time', () => {
  const table: [cron: string, zone: string, after: string, ...runs: string[]][] = [
    ['0 1 * * 5', 'UTC', '2026-02-01T00:00:00Z', '2026-02-06T01:00:00.000Z', '2026-02-13T01:00:00.000Z'],
    ['0 1 * * *', 'Berlin', '2026-03-28T00:00:00Z', '2026-03-29T00:00:00.000Z', '2026-03-29T23:00:00.000Z'],
    ['0 9 * * *', 'America/New_York', '2026-03-07T15:00:00Z', '2026-03-08T13:00:00.000Z', '2026-03-09T13:00:00.000Z'],
    // Clocks go forward: 02:30 does not exist.
    ['30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z'],
    // Clocks go back: 02:30 occurs twice.
    ['30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z'],
    ['0 * * * *', 'Europe/Berlin', '2026-10-25T00:00:00Z', '2026-10-25T01:00:00.000Z', '2026-10-25T02:00:00.000Z'],
    ['5/25 * * * *', 'UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:05:00.000Z', '2026-01-01T00:30:00.000Z'],
    ['50/5 23 * * *', 'UTC', '2026-01-01T23:54:00Z', '2026-01-01T23:55:00.000Z', '2026-01-02T23:50:00.000Z'],
    ['@daily', 'Tokyo', '2026-01-02T03:04:05Z', '2026-01-02T15:00:00.000Z', '2026-01-03T15:00:00.000Z'],
  ];
  for (const [cron, zone, after, ...runs] of table) {
    let now = after;
    for (const run of runs) {
      now = findNextRun(cron, zone, now)!;
      assert.equal(now, run, `${cron} in ${zone} after ${after}`);
    }
  }
});

test('finds time zones by IANA name and by alias', () => {
  assert.equal(findTimeZone('Berlin'), 'Europe/Berlin');
  assert.equal(findTimeZone('Eastern Time (US & Canada)'), 'America/New_York');
  assert.equal(findTimeZone('US/Eastern'), 'US/Eastern');
  for (const name of TIME_ZONE_ALIASES) assert.ok(findTimeZone(name), name);
  assert.equal(TIME_ZONE_ALIASES.length, 151);
  for (const name of ['', 'Nowhere', 'Nowhere/City', '+01:00', '-5', 'Berlin ', '../UTC']) {
    assert.equal(findTimeZone(name), null, name);
  }
});

test('returns null for an expression that never matches', () => {
  for (const [cron, zone] of [
    ['0 0 30 2 *', 'UTC'],
    ['0 0 31 2,4,6,9,11 *', 'Tokyo'],
    ['*/30 2 * 3 SUN#L', 'Berlin'],
    ['0,30 2 * 3 SUN#L', 'Berlin'],
  ] as const) {
    assert.equal(findNextRun(cron, zone, '2026-01-02T03:04:05Z'), null, cron);
  }
  assert.equal(findNextRun('0 0 29 2 *', 'UTC', '2096-03-01T00:00:00Z'), '2104-02-29T00:00:00.000Z');
  assert.equal(findNextRun('0 0 * 2 MON#5', 'UTC', '2026-01-01T00:00:00Z'), '2044-02-29T00:00:00.000Z');
});

test('returns null for an unknown time zone', () => {
  assert.equal(findNextRun('@daily', 'Nowhere', '2026-01-02T03:04:05Z'), null);
});
