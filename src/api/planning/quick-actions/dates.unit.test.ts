import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDate } from './dates.ts';

/** A Thursday. */
const TODAY = '2026-01-29';

test('parses English dates', () => {
  const cases: Readonly<Record<string, string | null>> = {
    '2026-02-03': '2026-02-03',
    '2026-2-3': '2026-02-03',
    '2026-02-30': null,
    today: TODAY,
    Tomorrow: '2026-01-30',
    yesterday: '2026-01-28',
    friday: '2026-01-30',
    'next friday': '2026-01-30',
    'this wed': '2026-02-04',
    'next thursday': '2026-02-05',
    'in 2 days': '2026-01-31',
    'in a week': '2026-02-05',
    '3 weeks from now': '2026-02-19',
    'next week': '2026-02-05',
    'next month': '2026-02-28',
    'in 1 year': '2027-01-29',
    'Feb 3': '2026-02-03',
    'January 3': '2027-01-03',
    'the 3rd of february, 2028': '2028-02-03',
    'feb 31': null,
    next: null,
    'in 0 days': null,
    'in 99999 days': null,
    'in 9999 years': null,
    someday: null,
    '': null,
  };
  for (const [text, expected] of Object.entries(cases)) assert.equal(parseDate(text, TODAY), expected, text);
});
