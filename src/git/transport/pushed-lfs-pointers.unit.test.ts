import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { formatLfsPointer, hasNewObjects, listNewLfsPointers } from '../objects/lfs-pointer.ts';
import {
  createGitWithRepository,
  createGitWithWorkingCopy,
  createWorkingCopy,
  serveRepository,
} from './client.testing.ts';
import type { PushRequest } from './receive-pack.ts';

const pointer = (digit: string, size: number) => ({ oid: digit.repeat(64), size });

test('lists the pointers that a push adds, not existing ones', async (t) => {
  const { git, repository } = await createGitWithRepository(t);
  const found: unknown[] = [];
  const { url } = await serveRepository(t, git, repository, {
    check: async ({ changes, quarantine }) => {
      const newIds = changes.map((change) => change.newId);
      found.push(await Readable.from(listNewLfsPointers(git, repository, newIds, quarantine)).toArray());
      return 'accept';
    },
  });
  const copy = await createWorkingCopy(t);
  await copy.write('a.bin', formatLfsPointer(pointer('a', 7)));
  await copy.write('big', Buffer.alloc(3_000_000, 'x\n'));
  await copy.commit('1', { text: 'y'.repeat(150), small: 's' });
  await copy.git('push', url, 'main');
  await copy.write('b.bin', formatLfsPointer(pointer('b', 123456)));
  await copy.write('d/c.bin', formatLfsPointer(pointer('c', 0)));
  await copy.commit('2');
  await copy.git('push', url, 'main');
  assert.deepEqual(found[0], [pointer('a', 7)]);
  const second = found[1] as { oid: string }[];
  assert.deepEqual(second.map(({ oid }) => oid[0]).sort(), ['b', 'c']);
});

test('an id that does not exist is an error, not an empty list', async (t) => {
  const { git, repository } = await createGitWithWorkingCopy(t);
  await assert.rejects(Readable.from(listNewLfsPointers(git, repository, ['1'.repeat(40)])).toArray());
});

test('a push of refs to existing commits has no new objects', async (t) => {
  const { git, repository } = await createGitWithRepository(t);
  const results: boolean[] = [];
  const check = async ({ quarantine }: PushRequest) => {
    results.push(await hasNewObjects(quarantine));
    return 'accept' as const;
  };
  const { url } = await serveRepository(t, git, repository, { check });
  const copy = await createWorkingCopy(t);
  await copy.commit('First');
  await copy.git('push', url, 'main');
  await copy.git('push', url, 'main:refs/tags/v1', 'main:other');
  await copy.git('push', url, ':other');
  for (let index = 0; index < 120; index++) await copy.write(`${index}.txt`, `${index}`);
  await copy.commit('Many');
  await copy.git('push', url, 'main');
  assert.deepEqual(results, [true, false, false, true]);
});
