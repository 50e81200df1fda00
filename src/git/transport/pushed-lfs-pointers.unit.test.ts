import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { formatPointer } from '../objects/lfs-pointer.ts';
import { gitOverCopy, gitWithRepository, serve, workingCopy } from './client.testing.ts';
import { newLfsPointers } from './pushed-lfs-pointers.ts';

const pointer = (digit: string, size: number) => ({ oid: digit.repeat(64), size });

test('a push shows the pointers that it brings, not those that were there', async (t) => {
  const { git, repository } = await gitWithRepository(t);
  const found: unknown[] = [];
  const { url } = await serve(t, git, repository, {
    check: async ({ changes, quarantine }) => {
      const newIds = changes.map((change) => change.newId);
      found.push(await Readable.from(newLfsPointers(git, repository, newIds, quarantine)).toArray());
      return 'accept';
    },
  });
  const copy = await workingCopy(t);
  await copy.write('a.bin', formatPointer(pointer('a', 7)));
  await copy.write('big', Buffer.alloc(3_000_000, 'x\n'));
  await copy.commit('1', { text: 'y'.repeat(150), small: 's' });
  await copy.git('push', url, 'main');
  await copy.write('b.bin', formatPointer(pointer('b', 123456)));
  await copy.write('d/c.bin', formatPointer(pointer('c', 0)));
  await copy.commit('2');
  await copy.git('push', url, 'main');
  assert.deepEqual(found[0], [pointer('a', 7)]);
  const second = found[1] as { oid: string }[];
  assert.deepEqual(second.map(({ oid }) => oid[0]).sort(), ['b', 'c']);
});

test('an id that does not exist is an error, not an empty list', async (t) => {
  const { git, repository } = await gitOverCopy(t);
  await assert.rejects(Readable.from(newLfsPointers(git, repository, ['1'.repeat(40)])).toArray());
});
