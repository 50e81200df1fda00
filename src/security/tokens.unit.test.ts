import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generateToken, hashToken, secretsEqual } from './tokens.ts';

test('a token has its prefix and the requested number of URL-safe characters', () => {
  for (let i = 0; i < 50; i += 1) assert.match(generateToken('glpat-'), /^glpat-[\w-]{20}$/);
  for (const length of [1, 2, 3, 4, 5, 64]) assert.equal(generateToken('', length).length, length);
  assert.notEqual(generateToken('glrt-'), generateToken('glrt-'));
});

test('the digest is SHA-256 in hexadecimal', () => {
  assert.equal(hashToken('abc'), 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
});

test('compares secrets of any lengths completely', () => {
  assert.equal(secretsEqual('abc', 'abc'), true);
  assert.equal(secretsEqual('abc', 'abd'), false);
  assert.equal(secretsEqual('abc', 'abcd'), false);
  assert.equal(secretsEqual('', 'a'), false);
});
