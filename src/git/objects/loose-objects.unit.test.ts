import assert from 'node:assert/strict';
import { type FileHandle, open, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { createGitWorld } from '../fixtures.testing.ts';
import { computeObjectId, writeObject } from './loose-objects.ts';
import { readObject } from './object-reader.ts';

/** Replaces the next file sync with this function. */
async function atNextSync({ mock }: TestContext, work: () => Promise<void>): Promise<void> {
  await using file = await open(import.meta.filename);
  const handles = Object.getPrototypeOf(file) as FileHandle;
  const { sync } = handles;
  const mocked = mock.method(handles, 'sync', async function (this: FileHandle) {
    mocked.mock.restore();
    await work();
    return sync.call(this);
  });
}

/** Removes an empty directory, as maintenance does. */
async function removeOnceThere(directory: string): Promise<void> {
  for (;;) {
    try {
      return await rmdir(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

test('writes an object although maintenance removes its empty directory meanwhile', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const content = Buffer.from('text');
  const id = await computeObjectId('blob', content);
  await atNextSync(t, () => removeOnceThere(join(repository.directory, 'objects', id.slice(0, 2))));
  assert.equal(await writeObject(git, repository, 'blob', content), id);
  assert.deepEqual((await readObject(git, repository, id))?.content, content);
});
