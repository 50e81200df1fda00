import assert from 'node:assert/strict';
import { test } from 'node:test';
import { array, assert as check, property, uint8Array } from 'fast-check';
import { decodeName, encodeName, isServerRef } from './ref-names.ts';

test('every name survives decoding and encoding', () => {
  check(property(uint8Array({ maxLength: 40 }), (bytes) => encodeName(decodeName(Buffer.from(bytes))).equals(bytes)));
});

test('UTF-8 names are not changed', () => {
  for (const name of ['a', 'ü', '日本', '💚', '\ufeffx', 'a\nb']) assert.equal(decodeName(Buffer.from(name)), name);
});

test('different names stay different', () => {
  check(
    property(array(uint8Array({ maxLength: 4 }), { maxLength: 20 }), (all) => {
      const bytes = new Set(all.map((one) => Buffer.from(one).toString('hex')));
      return new Set(all.map((one) => decodeName(Buffer.from(one)))).size === bytes.size;
    }),
  );
});

test('clients may neither write below the refs of the server nor take their place', () => {
  const cases: Readonly<Record<string, boolean>> = {
    'refs/merge-requests/1/head': true,
    'refs/merge-requests': true,
    'refs/merge-requests-2/x': false,
    'refs/heads/refs/pipelines/1': false,
  };
  for (const [ref, expected] of Object.entries(cases)) assert.equal(isServerRef(ref), expected, ref);
});
