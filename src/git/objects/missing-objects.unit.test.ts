import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gitOverCopy, workingCopy } from '../transport/client.testing.ts';
import { missingObjects } from './missing-objects.ts';

test('what one repository has and the other has not is told, as many as are asked for, be they ever so many', async (t) => {
  const { git, repository, copy } = await gitOverCopy(t);
  const other = { directory: join((await workingCopy(t)).directory, '.git') };
  for (let at = 0; at < 3; at++) await copy.commit(String(at), { [`f${at}`]: String(at) });
  const all = await missingObjects(git, repository, other, 100);
  assert.equal(all.length, 9);
  assert.deepEqual(await missingObjects(git, repository, other, 2), all.slice(0, 2));
  assert.deepEqual(await missingObjects(git, other, repository, 100), []);
  assert.deepEqual(await missingObjects(git, repository, repository, 100), []);
});

test('a list that cannot be read is no empty one', async (t) => {
  const { git, repository, copy } = await gitOverCopy(t);
  await copy.commit('1', { a: 'a' });
  const broken = { directory: join(copy.directory, 'broken') };
  await mkdir(broken.directory);
  await assert.rejects(missingObjects(git, repository, broken, 10), /no-repository/);
  await assert.rejects(missingObjects(git, broken, repository, 10), /no-repository/);
});
