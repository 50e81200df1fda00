import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { resolveRef, ZERO_ID } from './refs.ts';
import { restoreLostRefs, syncRefs } from './update-refs.ts';

test('restores refs whose files a power failure emptied, and no others', async (t) => {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  const [oldId, newId] = [await copy.commit('one'), await copy.commit('two')];
  await copy.git('branch', 'packed', oldId);
  await copy.git('pack-refs', '--all');
  await copy.git('branch', 'moved', newId);
  const empty = async (ref: string) => {
    await mkdir(dirname(join(repository.directory, ref)), { recursive: true });
    await writeFile(join(repository.directory, ref), '');
  };
  for (const ref of ['refs/heads/packed', 'refs/heads/loose', 'refs/tags/created', 'refs/tags/other']) await empty(ref);
  await restoreLostRefs(git, repository, [
    { ref: 'refs/heads/packed', oldId, newId },
    { ref: 'refs/heads/loose', oldId, newId },
    { ref: 'refs/tags/created', oldId: ZERO_ID, newId },
    { ref: 'refs/heads/moved', oldId, newId },
    { ref: 'refs/heads/absent', oldId: ZERO_ID, newId },
  ]);
  const resolve = (ref: string) => resolveRef(repository, ref);
  assert.equal(await resolve('refs/heads/packed'), oldId);
  assert.equal(await resolve('refs/heads/loose'), oldId);
  assert.equal(await resolve('refs/tags/created'), null);
  assert.equal(await resolve('refs/heads/moved'), newId);
  await copy.git('tag', 'created', newId);
  assert.match((await copy.tryGit('for-each-ref')).stderr, /broken ref refs\/tags\/other/);
});

test('syncs created and deleted refs, also those that are packed or gone', async (t) => {
  const { repository, copy } = await createGitWithWorkingCopy(t);
  const id = await copy.commit('one');
  await copy.git('tag', 'a/b/c', id);
  await syncRefs(repository, [
    { ref: 'refs/tags/a/b/c', oldId: ZERO_ID, newId: id },
    { ref: 'refs/tags/gone/d', oldId: ZERO_ID, newId: id },
    { ref: 'refs/tags/e', oldId: id, newId: ZERO_ID },
  ]);
  assert.equal(await resolveRef(repository, 'refs/tags/a/b/c'), id);
});
