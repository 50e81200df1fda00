import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldErrors } from '#runtime/failure.ts';
import {
  groupPathProblems,
  isScheduledForDeletion,
  nameProblems,
  pathProblems,
  scheduledForDeletion,
} from './name-validation.ts';

test('paths of letters, digits, underscore, dash and dot are accepted', () => {
  for (const path of ['a', 'p1', '_x', 'a.b-c_d', '9lives', 'A', 'x'.repeat(255)])
    assert.deepEqual(pathProblems(path), [], path);
});

test('other paths are refused', () => {
  const broken = ['-a', '.a', 'a.', 'a.git', 'a.GIT', 'a.atom', 'a b', 'a/b', 'é', 'a\u0000', 'a\n'];
  for (const path of broken) assert.equal(pathProblems(path).length, 1, JSON.stringify(path));
  assert.deepEqual(pathProblems(''), ["can't be blank"]);
  assert.deepEqual(pathProblems('x'.repeat(256)), ['is too long (maximum is 255 characters)']);
});

test('a group needs two characters, and no reserved name at the top level', () => {
  assert.deepEqual(groupPathProblems('a', { topLevel: true }), ['is too short (minimum is 2 characters)']);
  assert.deepEqual(groupPathProblems('API', { topLevel: true }), ['API is a reserved name']);
  assert.deepEqual(groupPathProblems('api', { topLevel: false }), []);
});

test('names start with a letter, digit, underscore or emoji and have no angle brackets', () => {
  for (const name of ['A b', '1', '_', '🚀 rocket', 'Größe (x)', '日本'])
    assert.deepEqual(nameProblems(name), [], name);
  for (const name of ['-a', ' a', 'a<b', 'a>b', '!']) assert.equal(nameProblems(name).length, 1, name);
  assert.deepEqual(nameProblems('  '), ["can't be blank"]);
});

test('fields without problems leave no trace', () => {
  assert.equal(fieldErrors({ name: [], path: [] }), null);
  assert.deepEqual(fieldErrors({ name: [], path: ['x'] }), { path: ['x'] });
});

test('a name that is scheduled for deletion still fits', () => {
  assert.equal(scheduledForDeletion('tools', 7), 'tools-deletion_scheduled-7');
  const long = scheduledForDeletion('x'.repeat(255), 7);
  assert.equal(long.length, 255);
  assert.ok(long.endsWith('-deletion_scheduled-7'));
});

test('a path tells that something in it is to be deleted', () => {
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
