import assert from 'node:assert/strict';
import { type FileHandle, open, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gitWorld } from '../fixtures.testing.ts';
import { objectId, writeObject } from './loose-objects.ts';
import { readObject } from './object-reader.ts';

/** Instead of the next sync of a file this is done. */
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

/** As upkeep does it with what is empty. */
async function removeOnceThere(directory: string): Promise<void> {
  for (;;) {
    try {
      return await rmdir(directory);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

test('an object is written although upkeep removes its directory, which is empty, in between', async (t) => {
  const { git, repository } = await gitWorld(t);
  const content = Buffer.from('text');
  const id = await objectId('blob', content);
  await atNextSync(t, () => removeOnceThere(join(repository.directory, 'objects', id.slice(0, 2))));
  assert.equal(await writeObject(git, repository, 'blob', content), id);
  assert.deepEqual((await readObject(git, repository, id))?.content, content);
});
