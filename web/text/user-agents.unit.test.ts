import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeUserAgent } from './user-agents.ts';

test('names the browser and its system', () => {
  const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  for (const [userAgent, name] of [
    ['Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0', 'Firefox on Linux'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/156.0.0.0 Safari/537.36`, 'Chrome on Windows'],
    [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/156.0 Safari/537.36 Edg/156.0`, 'Edge on Windows'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/20 Safari/605', 'Safari on macOS'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 20_0 like Mac OS X) Version/20 Safari/604', 'Safari on iOS'],
    [`Mozilla/5.0 (Linux; Android 16) ${webkit} Chrome/156.0 Mobile Safari/537.36`, 'Chrome on Android'],
    ['curl/8.14', 'curl/8.14'],
    ['', 'Unknown browser'],
    [null, 'Unknown browser'],
  ] as const)
    assert.equal(describeUserAgent(userAgent), name);
});
