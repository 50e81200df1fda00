import assert from 'node:assert/strict';
import { test } from 'node:test';
import { filtered } from './failures.ts';
import { baseOfSource } from './source.ts';
import { delay, retryAfter } from './source-calls.ts';

test('what may pass is tried again after longer and longer, at most half a minute', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 9].map(delay), [1, 2, 4, 8, 16, 30, 30]);
});

test('a source that asks for time gets it, from a second to five minutes', () => {
  for (const [header, seconds] of [
    ['7', 7],
    ['0', 1],
    ['99999', 300],
    [null, 30],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 30],
    ['-5', 30],
  ] as const) {
    assert.equal(retryAfter(header), seconds, String(header));
  }
});

test('texts of failures name no address and no path, and end', () => {
  assert.equal(filtered('Unsuccessful response 400 from /api/v4/x'), 'Unsuccessful response 400 from [FILTERED]');
  assert.equal(filtered('a\thttps://src.example\nb'), 'a\t[FILTERED]\nb');
  assert.equal(filtered('é'.repeat(300)).length, 255);
});

test('a source is below its address, without user info, query and slashes at its end', () => {
  for (const [url, base] of [
    ['https://src.example/', 'https://src.example'],
    ['https://mira:secret@src.example:8443/prefix//?a=1#b', 'https://src.example:8443/prefix'],
    ['nonsense', null],
  ] as const) {
    assert.equal(baseOfSource(url), base);
  }
});
