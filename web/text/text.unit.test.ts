import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatCount, getInitials } from './names.ts';
import { formatDuration, formatRelativeTime } from './time.ts';

test('formats times by their largest unit', () => {
  const now = Date.parse('2026-11-29T12:00:00.000Z');
  const cases: [time: string, text: string][] = [
    ['2026-11-29T11:59:50.000Z', '10 seconds ago'],
    ['2026-11-29T11:59:01.000Z', '59 seconds ago'],
    ['2026-11-29T11:00:00.000Z', '1 hour ago'],
    ['2026-11-28T12:00:00.000Z', 'yesterday'],
    ['2026-11-20T12:00:00.000Z', 'last week'],
    ['2026-10-01T12:00:00.000Z', '2 months ago'],
    ['2024-11-29T12:00:00.000Z', '2 years ago'],
    ['2026-11-29T14:00:00.000Z', 'in 2 hours'],
  ];
  for (const [time, text] of cases) assert.equal(formatRelativeTime(time, now), text);
});

test('formats counts and initials', () => {
  assert.equal(formatCount(1, 'star'), '1 star');
  assert.equal(formatCount(12_345, 'star'), '12,345 stars');
  assert.equal(formatCount(0, 'branch', 'branches'), '0 branches');
  assert.equal(getInitials('Mira van Okafor'), 'MO');
  assert.equal(getInitials('  ana '), 'A');
  assert.equal(getInitials('😀 x'), '😀X');
  assert.equal(getInitials(''), '');
});

test('formats durations by their two largest units', () => {
  const cases = { 0: '0 s', 59.4: '59 s', 60: '1 min', 65: '1 min 5 s', 3600: '1 h', 3660: '1 h 1 min', 90000: '25 h' };
  for (const [seconds, text] of Object.entries(cases)) assert.equal(formatDuration(Number(seconds)), text);
});
