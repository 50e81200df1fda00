import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findMutantFiles } from '../scripts/mutants.ts';
import { MUTANTS } from '../scripts/mutants-table.ts';

const root = join(import.meta.dirname, '..');

test('the text of every mutant occurs once in the source files of its folder', () => {
  const counts = MUTANTS.map((mutant) => ({ text: mutant.text, count: findMutantFiles(mutant).length }));
  assert.ok(counts.length >= 50);
  assert.deepEqual(
    counts.filter(({ count }) => count !== 1),
    [],
  );
});

test('every mutant changes its text and names existing test files', () => {
  for (const { text, fault, tests } of MUTANTS) {
    assert.notEqual(fault, text);
    assert.deepEqual(
      tests.filter((file) => !existsSync(join(root, file))),
      [],
      text,
    );
  }
});
