import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSlug, guessTier } from './changes.ts';
import { toNameLookupColumns, validateEnvironmentName, validateExternalUrl } from './validation.ts';

// Slugs, tiers and name validation of environments (contract/environments.md Part 1).

test('uses the name as the slug if valid, else its prefix with a hash suffix', () => {
  const slugs = {
    production: 'production',
    'foo-': 'foo',
    'staging-1234567890123456': 'staging-1234567890123456',
    'staging-12345678901234567': 'staging-123456789-s729ne',
    'review/fix-foo': 'review-fix-foo-v25cyx',
    'review/023f1bce01229c686a73': 'review-023f1bce01-3uxznk',
    PRODUCTION: 'production-vl4voz',
    '1-foo': 'env-1-foo-1k46wz',
    'foo--bar': 'foo-bar-q006cp',
    'Production/eu': 'production-eu-7hiuxc',
  };
  assert.deepEqual(Object.fromEntries(Object.keys(slugs).map((name) => [name, createSlug(name)])), slugs);
});

test('limits a slug to 24 characters from a letter on, without a dash at the end', () => {
  const names = [
    '-',
    '$',
    '9',
    'a'.repeat(255),
    '-'.repeat(255),
    'a-'.repeat(50),
    `${'a'.repeat(16)}-${'b'.repeat(90)}`,
    'Z ',
  ];
  for (const name of names) assert.match(createSlug(name), /^(?=.{1,24}$)[a-z]([a-z0-9-]*[a-z0-9])?$/, name);
});

test('guesses the tier by the first matching pattern', () => {
  const tiers = {
    development: ['review/product', 'dev', 'TRUNK', 'my-review-app'],
    testing: ['production-test', 'maintenance', 'qa', 'control-room', 'acceptance'],
    staging: ['pre-prod', 'nonlive', 'stg-eu', 'demo', 'MODEL'],
    production: ['gprd-cny', 'unproductive', 'live', 'Production/eu'],
    other: ['canary', 'eu', '1'],
  };
  for (const [tier, names] of Object.entries(tiers))
    for (const name of names) assert.equal(guessTier(name), tier, name);
});

test('accepts letters, digits and few other characters in names, and inner slashes', () => {
  const characters =
    "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces, but it cannot start or end with '/'";
  for (const name of ['a', 'a/b/c', `\${X} y.z_-`, 'a'.repeat(255)])
    assert.deepEqual(validateEnvironmentName(name), [], name);
  for (const name of ['/a', 'a/', 'a\n', 'ä', 'a+b', 'a\tb'])
    assert.deepEqual(validateEnvironmentName(name), [characters], name);
  assert.deepEqual(validateEnvironmentName(''), ["can't be blank", characters]);
  assert.deepEqual(validateEnvironmentName('  '), ["can't be blank"]);
  assert.deepEqual(validateEnvironmentName('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
});

test('takes the part before the first slash as the folder', () => {
  assert.deepEqual(toNameLookupColumns('Review/A/b'), { name_key: 'review/a/b', folder: 'Review', rest_key: 'a/b' });
  assert.deepEqual(toNameLookupColumns('Production'), { name_key: 'production', folder: null, rest_key: null });
});

test('accepts variables in URLs but no script schemes or invalid hosts', () => {
  const fine = [
    '$HOST',
    'http://$(URL)',
    'example.com',
    'custom://x',
    `https://user:\${V}@h`,
    `https://h:8443/\${X}?a=b`,
    '/a',
    'http://[::1]:80/',
  ];
  for (const url of fine) assert.deepEqual(validateExternalUrl(url), [], url);
  const wrong = [
    `http://\${URL}`,
    `https://\${URL}.example/x`,
    'http://a b/',
    'http://',
    'https:',
    'http://h:x',
    'http://a"b',
    '//h:x/',
    'http://a\\b',
  ];
  for (const url of wrong) assert.deepEqual(validateExternalUrl(url), ['URI is invalid'], url);
  for (const scheme of ['javascript', 'data', 'vbscript']) {
    for (const url of [
      `${scheme}:a`,
      `${scheme.toUpperCase()}://a`,
      ` ${scheme}:a`,
      `${scheme.slice(0, 2)}\n${scheme.slice(2)}:a`,
    ]) {
      assert.deepEqual(validateExternalUrl(url), [`${scheme} scheme is not allowed`], url);
    }
  }
  assert.deepEqual(validateExternalUrl('a'.repeat(256)), ['is too long (maximum is 255 characters)']);
});
