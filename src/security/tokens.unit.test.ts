import assert from 'node:assert/strict';
import { test } from 'node:test';
import { digestToken, newToken, sameSecret } from './tokens.ts';

test('a token is its prefix and as many URL-safe characters as asked', () => {
  for (let i = 0; i < 50; i += 1) assert.match(newToken('glpat-'), /^glpat-[\w-]{20}$/);
  for (const length of [1, 2, 3, 4, 5, 64]) assert.equal(newToken('', length).length, length);
  assert.notEqual(newToken('glrt-'), newToken('glrt-'));
});

test('the digest is SHA-256 in hexadecimal', () => {
  assert.equal(digestToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('secrets are compared whole, whatever their lengths', () => {
  assert.equal(sameSecret('abc', 'abc'), true);
  assert.equal(sameSecret('abc', 'abd'), false);
  assert.equal(sameSecret('abc', 'abcd'), false);
  assert.equal(sameSecret('', 'a'), false);
});
