import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTimestamp, parseTimestampOrMilliseconds } from './timestamps.ts';

const TIMESTAMP = '2026-02-13T10:28:16.000Z';

test('parses common timestamp formats', () => {
  for (const [text, timestamp] of [
    ['2026-02-13T10:28:16Z', TIMESTAMP],
    ['2026-02-13t10:28:16z', TIMESTAMP],
    ['2026-02-13T10:28:16.123456789Z', '2026-02-13T10:28:16.123Z'],
    ['2026-02-13T10:28:16,5Z', '2026-02-13T10:28:16.500Z'],
    ['2026-02-13T11:28:16+01:00', TIMESTAMP],
    ['2026-02-13T05:58:16-0430', TIMESTAMP],
    ['2026-02-13 10:28:16', TIMESTAMP],
    [' 2026-02-13 10:28:16 UTC ', TIMESTAMP],
    ['2026-02-13 12:28:16 +0200', TIMESTAMP],
    ['2026-02-13 12:28:16.0 +0200 CEST', TIMESTAMP],
    ['2026/02/13 10:28:16', TIMESTAMP],
    ['20260213T102816Z', TIMESTAMP],
    ['2026-02-13T10:28', '2026-02-13T10:28:00.000Z'],
    ['2026-02-13', '2026-02-13T00:00:00.000Z'],
    ['Fri, 13 Feb 2026 10:28:16 GMT', TIMESTAMP],
    ['Fri, 13 Feb 2026 11:28:16 +0100', TIMESTAMP],
    ['13 Feb 2026 05:28 EST', '2026-02-13T10:28:00.000Z'],
    ['Fri Feb 13 10:28:16 2026', TIMESTAMP],
    ['Fri Feb  6 10:28:16 UTC 2026', '2026-02-06T10:28:16.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['2026-02-28T23:59:60Z', '2026-03-01T00:00:00.000Z'],
  ] as const) {
    assert.equal(parseTimestamp(text), timestamp, text);
  }
});

test('treats invalid timestamps as missing', () => {
  for (const wrong of [
    '',
    'soon',
    'yesterday',
    '2026',
    '2026-02-30T10:28:16Z',
    '2026-13-01',
    '2026-02-13T24:28:16Z',
    '2026-02-13T10:61:16Z',
    '2026-02-13T10:28:16+24:00',
    '2026-02-13T10:28:16 XYZ',
    '32 Jan 2026 10:00:00',
    '13 Foo 2026 10:00:00',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:00:00-02:00',
    `2026-02-13T10:28:16.${'0'.repeat(100)}Z`,
    1770978496,
    1770978496123,
    null,
    {},
  ]) {
    assert.equal(parseTimestamp(wrong), null, String(wrong));
  }
});

test('accepts an end time in milliseconds with thirteen digits', () => {
  assert.equal(parseTimestampOrMilliseconds(1770978496000), TIMESTAMP);
  assert.equal(parseTimestampOrMilliseconds('1770978496000'), TIMESTAMP);
  assert.equal(parseTimestampOrMilliseconds('2026-02-13T10:28:16Z'), TIMESTAMP);
  for (const wrong of [1770978496, 17709784960000, 1770978496000.5, -1770978496000, '1770978496', true, null]) {
    assert.equal(parseTimestampOrMilliseconds(wrong), null, String(wrong));
  }
});
