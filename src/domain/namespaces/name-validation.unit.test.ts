import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compactFieldErrors } from '#runtime/failure.ts';
import {
  isScheduledForDeletion,
  toDeletionScheduledName,
  validateGroupPath,
  validateName,
  validatePath,
} from './name-validation.ts';

test('paths of letters, digits, underscore, dash and dot are accepted', () => {
  for (const path of ['a', 'p1', '_x', 'a.b-c_d', '9lives', 'A', 'x'.repeat(255)])
    assert.deepEqual(validatePath(path), [], path);
});

test('other paths are rejected', () => {
  const broken = ['-a', '.a', 'a.', 'a.git', 'a.GIT', 'a.atom', 'a b', 'a/b', 'é', 'a\u0000', 'a\n'];
  for (const path of broken) assert.equal(validatePath(path).length, 1, JSON.stringify(path));
  assert.deepEqual(validatePath(''), ["can't be blank"]);
  assert.deepEqual(validatePath('x'.repeat(256)), ['is too long (maximum is 255 characters)']);
});

test('a group needs two characters, and no reserved name at the top level', () => {
  assert.deepEqual(validateGroupPath('a', { topLevel: true }), ['is too short (minimum is 2 characters)']);
  assert.deepEqual(validateGroupPath('API', { topLevel: true }), ['API is a reserved name']);
  assert.deepEqual(validateGroupPath('api', { topLevel: false }), []);
});

test('names start with a letter, digit, underscore or emoji and have no angle brackets', () => {
  for (const name of ['A b', '1', '_', '🚀 rocket', 'Größe (x)', '日本'])
    assert.deepEqual(validateName(name), [], name);
  for (const name of ['-a', ' a', 'a<b', 'a>b', '!']) assert.equal(validateName(name).length, 1, name);
  assert.deepEqual(validateName('  '), ["can't be blank"]);
});

test('valid fields are omitted from the errors', () => {
  assert.equal(compactFieldErrors({ name: [], path: [] }), null);
  assert.deepEqual(compactFieldErrors({ name: [], path: ['x'] }), { path: ['x'] });
});

test('a name with the deletion suffix does not exceed the maximum length', () => {
  assert.equal(toDeletionScheduledName('tools', 7), 'tools-deletion_scheduled-7');
  const long = toDeletionScheduledName('x'.repeat(255), 7);
  assert.equal(long.length, 255);
  assert.ok(long.endsWith('-deletion_scheduled-7'));
});

test('recognizes a path with a segment that is scheduled for deletion', () => {
  assert.ok(isScheduledForDeletion('forge/tools-deletion_scheduled-7'));
  assert.ok(isScheduledForDeletion('forge-deletion_scheduled-12/tools'));
  for (const path of [
    'forge/tools',
    'forge/deletion_scheduled-7',
    'forge/tools-deletion_scheduled-',
    'a-deletion_scheduled-7b/c',
  ])
    assert.equal(isScheduledForDeletion(path), false, path);
});
