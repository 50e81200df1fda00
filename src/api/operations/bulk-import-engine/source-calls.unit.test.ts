import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redactPaths } from './failures.ts';
import { getSourceBaseUrl } from './source.ts';
import { getBackoffSeconds, parseRetryAfter } from './source-calls.ts';

test('doubles the delay of retries up to half a minute', () => {
  assert.deepEqual([0, 1, 2, 3, 4, 5, 9].map(getBackoffSeconds), [1, 2, 4, 8, 16, 30, 30]);
});

test('respects Retry-After, from one second to five minutes', () => {
  for (const [header, seconds] of [
    ['7', 7],
    ['0', 1],
    ['99999', 300],
    [null, 30],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 30],
    ['-5', 30],
  ] as const) {
    assert.equal(parseRetryAfter(header), seconds, String(header));
  }
});

test('removes URLs and paths from failure messages and limits their length', () => {
  assert.equal(redactPaths('Unsuccessful response 400 from /api/v4/x'), 'Unsuccessful response 400 from [FILTERED]');
  assert.equal(redactPaths('a\thttps://src.example\nb'), 'a\t[FILTERED]\nb');
  assert.equal(redactPaths('é'.repeat(300)).length, 255);
});

test('removes user info, query and trailing slashes from the base URL', () => {
  for (const [url, base] of [
    ['https://src.example/', 'https://src.example'],
    ['https://mira:secret@src.example:8443/prefix//?a=1#b', 'https://src.example:8443/prefix'],
    ['nonsense', null],
  ] as const) {
    assert.equal(getSourceBaseUrl(url), base);
  }
});
