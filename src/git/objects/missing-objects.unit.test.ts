import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGitWithWorkingCopy, createWorkingCopy } from '../transport/client.testing.ts';
import { listMissingObjects } from './missing-objects.ts';

test('lists objects that only one repository has, up to the limit', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const other = { directory: join((await createWorkingCopy(t)).directory, '.git') };
  for (let at = 0; at < 3; at++) await copy.commit(String(at), { [`f${at}`]: String(at) });
  const all = await listMissingObjects(git, repository, other, 100);
  assert.equal(all.length, 9);
  assert.deepEqual(await listMissingObjects(git, repository, other, 2), all.slice(0, 2));
  assert.deepEqual(await listMissingObjects(git, other, repository, 100), []);
  assert.deepEqual(await listMissingObjects(git, repository, repository, 100), []);
});

test('an unreadable list is an error, not an empty list', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  await copy.commit('1', { a: 'a' });
  const broken = { directory: join(copy.directory, 'broken') };
  await mkdir(broken.directory);
  await assert.rejects(listMissingObjects(git, repository, broken, 10), /no-repository/);
  await assert.rejects(listMissingObjects(git, broken, repository, 10), /no-repository/);
});
