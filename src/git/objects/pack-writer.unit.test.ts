import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { checkRepository, commitFiles, createGitWorld } from '../fixtures.testing.ts';
import { computeObjectId } from './loose-objects.ts';
import { readObject } from './object-reader.ts';
import { type NewObject, writePack } from './pack-writer.ts';

async function blob(content: Buffer): Promise<NewObject> {
  return { id: await computeObjectId('blob', content), type: 'blob', content };
}

test('reads objects of every size back from a pack, with duplicates', async (t) => {
  const { git, repository } = await createGitWorld(t);
  const sizes = [0, 1, 15, 16, 2047, 2048, 5000, 300_000, 1_500_000];
  const objects = await Promise.all(sizes.map((size) => blob(randomBytes(size))));
  await writePack(git, repository, [...objects, ...objects]);
  await writePack(git, repository, objects);
  for (const { id, content } of objects) {
    assert.deepEqual((await readObject(git, repository, id))?.content, content, `${content.length} bytes`);
  }
});

test('a commit of many files passes fsck', async (t) => {
  const world = await createGitWorld(t);
  const changes = Array.from({ length: 300 }, (_, at) => ({
    action: 'create' as const,
    path: `folder-${at % 7}/file-${at}`,
    content: Buffer.from(`content ${at % 50}`),
  }));
  await commitFiles(world, 'main', changes);
  await checkRepository(world);
});
