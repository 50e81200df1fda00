import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, watch } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadConfigOf, silentProgress } from '#backup/archives.testing.ts';
import { withServerData } from '#backup/server-data.ts';
import { registerBlob, type StoredBlob, storeBlob } from '#blobs/store.ts';
import { type TestPlace, testPlace } from '#test/engines/engine.ts';
import { scratchDirectory } from '#test/engines/scratch.ts';
import { runHearth, startHearth } from './process.testing.ts';

const start = (args: readonly string[], { dataDir }: TestPlace) => startHearth(args, { HEARTH_DATA_DIR: dataDir });
const run = (args: readonly string[], { dataDir }: TestPlace) => runHearth(args, { HEARTH_DATA_DIR: dataDir });

/** Kills the command as soon as the file exists. */
async function runUntil(file: string, args: readonly string[], place: TestPlace): Promise<void> {
  const made = watch(dirname(file));
  const child = start(args, place);
  const ended = once(child, 'exit');
  for await (const { filename } of made) if (filename === basename(file)) break;
  child.kill('SIGKILL');
  assert.deepEqual(await ended, [null, 'SIGKILL']);
}

/** Creates a server with enough blobs that a copy can be interrupted. */
async function serverWithFiles(t: TestContext): Promise<TestPlace> {
  const place = await testPlace('started');
  t.after(() => place.remove());
  await withServerData(loadConfigOf(place), silentProgress, async ({ blobs, database }) => {
    for (let index = 0; index < 200; index++) {
      const blob = (await storeBlob(blobs, Buffer.from(`file ${index}`))) as StoredBlob;
      await database.transaction((tx) => registerBlob(tx, blob));
    }
  });
  return place;
}

test('a killed backup leaves no archive, a killed restore no usable server; both succeed when repeated', async (t) => {
  const place = await serverWithFiles(t);
  const file = join(await scratchDirectory('hearth-archive-'), 'backup.tar');
  await runUntil(`${file}.partial`, ['backup', file], place);
  assert.equal(existsSync(file), false);
  const made = await run(['backup', file], place);
  assert.deepEqual([made.out, made.code], ['', 0], made.err);
  assert.match(made.err, /\d+ rows, 0 repositories with 0 refs, 200 blobs: [\d.]+ kB\n$/);
  const target = await testPlace('empty');
  t.after(() => target.remove());
  await runUntil(join(target.dataDir, 'blobs'), ['restore', file], target);
  assert.ok((await readdir(target.dataDir)).includes('restoring'));
  const done = await run(['restore', file], target);
  assert.equal(done.code, 0, done.err);
  assert.match(done.err, /Removed the files of an interrupted restore\n(?:.*\n)*Restored what Hearth .* 200 blobs\n$/);
});

test('backup fails without a server and creates none', async (t) => {
  const place = await testPlace('empty');
  t.after(() => place.remove());
  const { err, code } = await run(['backup', join(place.dataDir, 'a.tar')], place);
  assert.deepEqual([code, /^hearth: No server found in /.test(err)], [1, true], err);
  assert.deepEqual(await readdir(place.dataDir), []);
});

test('commands on the data of a primary fail on a secondary site', async (t) => {
  const place = await testPlace('started');
  t.after(() => place.remove());
  const secondary = { HEARTH_ROLE: 'secondary', HEARTH_PRIMARY_URL: 'http://primary.test' };
  const env = { HEARTH_DATA_DIR: place.dataDir, ...secondary };
  const file = join(place.dataDir, 'a.tar');
  for (const args of [['backup', file], ['restore', file], ['doctor'], ['user', 'list'], ['secret-key', 'rotate']]) {
    const { out, err, code } = await runHearth(args, env);
    assert.deepEqual([out, code], ['', 1], args.join(' '));
    assert.match(err, /^hearth: This is a secondary site/);
  }
  assert.equal(existsSync(file), false);
});
