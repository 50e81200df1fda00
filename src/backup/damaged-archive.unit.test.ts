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

// Checks that run before the database is used, so one engine is sufficient.

let file = '';
let parts: Parts;

before(async () => {
  await using place = await testPlace('started');
  const config = configOf(place);
  await loadSecretKey(config);
  await withServerData(config, silent, storeExampleData);
  file = await archiveOf(config, { withSecretKey: true });
  parts = await partsIn(file);
});

/** Creates a repository and a blob with rows that refer to root. */
async function storeExampleData({ git, blobs, database }: ServerData): Promise<void> {
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

/** Returns the name of one part of each kind. */
const kinds = () =>
  ['tables/users.ndjson', 'repositories.ndjson', 'bundle', 'blobs/', 'secret-key', 'SHA256SUMS', MANIFEST].map(
    (part) => [...parts.keys()].find((name) => name.includes(part))!,
  );

test('rejects changed, truncated, missing and duplicate parts and writes nothing', async () => {
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

test('rejects an archive that is truncated or has a flipped bit, and writes nothing', async () => {
  await using place = await emptyPlace();
  const { length } = await readFile(file);
  for (let at = 0; at < 1; at += 1 / 8) {
    const place_ = Math.floor(at * length);
    await isFailure(await damagedCopy(file, (bytes) => bytes.subarray(0, place_)), 4, place);
  }
  // Positions: name, size and type in the header of the first file; the end of the archive.
  for (const byte of [1024, 1024 + 124, 1024 + 156, 512, length - 1]) {
    const flip = (bytes: Buffer) => {
      bytes[byte]! ^= 1;
      return bytes;
    };
    await isFailure(await damagedCopy(file, flip), 4, place);
  }
  assert.equal(await isUntouched(place), true);
});

test('rejects malicious names and contents with valid checksums and leaves nothing', async () => {
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

test('rejects an archive with a newer format or newer migrations', async () => {
  await using place = await emptyPlace();
  const { migrations: names } = JSON.parse(String(parts.get(MANIFEST)));
  await isFailure(await sealed(parts, { migrations: [...names, '9999_tomorrow'] }), 5, place);
  await isFailure(await sealed(parts, { format: 2 as 1 }), 5, place);
  assert.equal(await isUntouched(place), true);
});

test('reports a missing file and a file that is no archive', async () => {
  await using place = await emptyPlace();
  await isFailure(join(place.dataDir, 'none.tar'), 1, place);
  await writeFile(join(place.dataDir, 'secret-key'), 'no archive');
  await isFailure(join(place.dataDir, 'secret-key'), 4, place);
});
