import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { linkBlob, type StoredBlob, storeBlob } from '#blobs/index.ts';
import { commitFiles, newFiles } from '#git/fixtures.testing.ts';
import { repositoryAt } from '#git/git.ts';
import { diskPathFor, ensureRepository } from '#git/storage/storage.ts';
import { loadSecretKey } from '#security/key-file.ts';
import { testPlace } from '#test/engines/engine.ts';
import {
  archiveOf,
  archiveWith,
  configOf,
  damagedCopy,
  emptyPlace,
  isFailure,
  isUntouched,
  type Parts,
  partsIn,
  restored,
  sealed,
  silent,
} from './archives.testing.ts';
import { MANIFEST } from './manifest.ts';
import { type ServerData, withServerData } from './server-data.ts';

// What is looked at before a database is: the same on both engines.

let file = '';
let parts: Parts;

before(async () => {
  await using place = await testPlace('started');
  const config = configOf(place);
  await loadSecretKey(config);
  await withServerData(config, silent, keepSomething);
  file = await archiveOf(config, { withSecretKey: true });
  parts = await partsIn(file);
});

/** A repository and a file, whose rows refer to root. */
async function keepSomething({ git, blobs, database }: ServerData): Promise<void> {
  const place = { storage: 'default', disk_path: diskPathFor(1) };
  const repository = repositoryAt(git, place.storage, place.disk_path);
  await ensureRepository(repository, { defaultBranch: 'main' });
  await commitFiles({ git, repository, root: '', time: 0 }, 'main', newFiles({ 'a.txt': 'a' }));
  const blob = (await storeBlob(blobs, Buffer.from('a file'))) as StoredBlob;
  await database.transaction(async (tx) => {
    await linkBlob(tx, blob);
    const times = { created_at: tx.now, updated_at: tx.now };
    const texts = { title: 'Kept', visibility: 'private', files: '[]' } as const;
    await tx
      .insertInto('snippets')
      .values({ author_id: 1, ...texts, ...place, made: true, ...times })
      .execute();
  });
}

const changed = (name: string, change: (bytes: Buffer) => Buffer): Parts =>
  new Map([...parts].map(([each, bytes]) => [each, each === name ? change(bytes) : bytes]));
const without = (name: string): Parts => new Map([...parts].filter(([each]) => each !== name));
const flipped = (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1)! ^ 1])]);

/** One of each kind. */
const kinds = () =>
  ['tables/users.ndjson', 'repositories.ndjson', 'bundle', 'blobs/', 'secret-key', 'SHA256SUMS', MANIFEST].map(
    (part) => [...parts.keys()].find((name) => name.includes(part))!,
  );

test('an archive whose parts were changed, cut off, left out or doubled is refused, and nothing is written', async () => {
  await using place = await emptyPlace();
  for (const name of kinds()) {
    await isFailure(await archiveWith(changed(name, flipped)), 4, place);
    await isFailure(await archiveWith(without(name)), 4, place);
  }
  const [table, , bundle, blob] = kinds() as [string, string, string, string];
  for (const name of [table, bundle, blob, MANIFEST]) {
    await isFailure(await archiveWith(changed(name, (bytes) => bytes.subarray(0, -1))), 4, place);
  }
  for (const name of [table, blob]) {
    await isFailure(await archiveWith([...parts, [name, parts.get(name)!]]), 4, place);
    await isFailure(await archiveWith([[name, parts.get(name)!], ...parts]), 4, place);
  }
  assert.equal(await isUntouched(place), true);
});

test('an archive that was cut off or flipped anywhere is refused, and nothing is written', async () => {
  await using place = await emptyPlace();
  const { length } = await readFile(file);
  for (let at = 0; at < 1; at += 1 / 8) {
    const place_ = Math.floor(at * length);
    await isFailure(await damagedCopy(file, (bytes) => bytes.subarray(0, place_)), 4, place);
  }
  // Headers of the first file: its name, size and kind; the end of the archive.
  for (const byte of [1024, 1024 + 124, 1024 + 156, 512, length - 1]) {
    const flip = (bytes: Buffer) => {
      bytes[byte]! ^= 1;
      return bytes;
    };
    await isFailure(await damagedCopy(file, flip), 4, place);
  }
  assert.equal(await isUntouched(place), true);
});

test('names and contents that mean harm are refused though their sums fit, and nothing is left', async () => {
  await using place = await emptyPlace();
  const [, , bundle, blob] = kinds() as [string, string, string, string];
  const extra = (name: string, bytes = Buffer.from('harm')): Parts => new Map([...parts, [name, bytes]]);
  const first = (bytes: Buffer) => `${String(bytes).split('\n')[0]}\n`;
  const line = (change: object) =>
    changed('repositories.ndjson', (bytes) =>
      Buffer.from(`${JSON.stringify({ ...JSON.parse(String(bytes)), ...change })}\n`),
    );
  const harmful: Parts[] = [
    extra('../harm'),
    extra('blobs/../../harm'),
    extra(`blobs/${'0'.repeat(64)}`),
    changed(blob, flipped),
    changed(bundle, flipped),
    changed(bundle, (bytes) =>
      Buffer.from(bytes.toString('latin1').replace('refs/heads/main', 'refs/../main'), 'latin1'),
    ),
    changed('tables/users.ndjson', (bytes) => Buffer.from(`${first(bytes)}[[[[\n`)),
    changed('tables/users.ndjson', (bytes) => Buffer.from(first(bytes))),
    line({ disk_path: '../../harm.git' }),
    line({ default_branch: '--harm' }),
  ];
  for (const each of harmful) {
    const archive = await sealed(each);
    await assert.rejects(restored(configOf(place), archive));
    assert.equal(await isUntouched(place), true);
  }
});

test('a newer archive is refused by its format and by its tables', async () => {
  await using place = await emptyPlace();
  const { migrations: names } = JSON.parse(String(parts.get(MANIFEST)));
  await isFailure(await sealed(parts, { migrations: [...names, '9999_tomorrow'] }), 5, place);
  await isFailure(await sealed(parts, { format: 2 as 1 }), 5, place);
  assert.equal(await isUntouched(place), true);
});

test('a file that is not there, or no archive, is told', async () => {
  await using place = await emptyPlace();
  await isFailure(join(place.dataDir, 'none.tar'), 1, place);
  await writeFile(join(place.dataDir, 'secret-key'), 'no archive');
  await isFailure(join(place.dataDir, 'secret-key'), 4, place);
});
