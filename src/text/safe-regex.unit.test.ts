import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileRegex } from './safe-regex.ts';

test('accepts common regular expressions of users', () => {
  for (const source of [
    'a|b',
    '^[^a]',
    '(a+)+$',
    '^v\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}$',
    '[0-9a-f]{40}',
    'a{1000}',
    '{',
  ]) {
    assert.notEqual(typeof compileRegex(source), 'string', source);
  }
});

test('reports unsupported syntax with the message of RE2', () => {
  assert.match(compileRegex('a(?=b)') as string, /^invalid or unsupported Perl syntax: /);
  assert.match(compileRegex('a(') as string, /^missing closing \)/);
});

test('rejects an expression with large repetition counts before compiling it', () => {
  const large = [
    'a{1000}'.repeat(146),
    '\\pL{1000}'.repeat(113),
    `(${'x'.repeat(500)}){1000}`,
    `((${'x'.repeat(500)}{10}){10}){10}`,
    '((((a{0,1000})))?)'.repeat(50),
  ];
  for (const source of large) assert.equal(compileRegex(source), 'expression too large', source.slice(0, 20));
});
