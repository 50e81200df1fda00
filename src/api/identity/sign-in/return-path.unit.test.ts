import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toSafeReturnPath } from './sign-in.ts';

test('accepts paths of this server', () => {
  for (const path of ['/', '/oauth/authorize?client_id=1&redirect_uri=https%3A%2F%2Fapp.test', '/-/a;b?x=//y']) {
    assert.equal(toSafeReturnPath(path), path);
  }
});

test('replaces values that could name another host by the home page', () => {
  const others = ['//evil.test', '/\\evil.test', '/x\\evil', 'https://evil.test', 'evil.test', '', '/\t/evil.test'];
  for (const path of [...others, '/ /evil.test', '/\n/evil.test', 'javascript:alert(1)', '/é', null]) {
    assert.equal(toSafeReturnPath(path), '/', String(path));
  }
});
