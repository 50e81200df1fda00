import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { registerBlob, type StoredBlob, storeBlob } from '#blobs/store.ts';
import { commitFiles, createFileChanges } from '#git/fixtures.testing.ts';
import { getRepositoryAt } from '#git/git.ts';
import { ensureRepository, toDiskPath } from '#git/storage/storage.ts';
import { loadSecretKey } from '#security/key-file.ts';
import { testPlace } from '#test/engines/engine.ts';
import { scratchDirectory } from '#test/engines/scratch.ts';
import {
  assertRestoreFails,
  createBackupArchive,
  createEmptyPlace,
  isUntouched,
  loadConfigOf,
  type Parts,
  readArchiveParts,
  silentProgress,
  writeArchiveOf,
  writeDamagedCopy,
  writeSealedArchive,
} from './archives.testing.ts';
import { MANIFEST, type RepositoryLine } from './manifest.ts';
import { type ServerData, withServerData } from './server-data.ts';

// Checks that run before the database is used, so one engine is sufficient.

let file = '';
let parts: Parts;

before(async () => {
  await using place = await testPlace('started');
  const config = loadConfigOf(place);
  await loadSecretKey(config);
  await withServerData(config, silentProgress, storeExampleData);
  file = await createBackupArchive(config, { withSecretKey: true });
  parts = await readArchiveParts(file);
});

/** Creates a repository and a blob with rows that refer to root. */
async function storeExampleData({ git, blobs, database }: ServerData): Promise<void> {
  const place = { storage: 'default', disk_path: toDiskPath(1) };
  const repository = getRepositoryAt(git, place.storage, place.disk_path);
  await ensureRepository(repository, { defaultBranch: 'main' });
  await commitFiles({ git, repository, root: '', time: 0 }, 'main', createFileChanges({ 'a.txt': 'a' }));
  const blob = (await storeBlob(blobs, Buffer.from('a file'))) as StoredBlob;
  await database.transaction(async (tx) => {
    await registerBlob(tx, blob);
    const times = { created_at: tx.now, updated_at: tx.now };
    const texts = { title: 'Kept', visibility: 'private', files: '[]' } as const;
    await tx
      .insertInto('snippets')
      .values({ author_id: 1, ...texts, ...place, repository_created: true, ...times })
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
  await using place = await createEmptyPlace();
  for (const name of kinds()) {
    await assertRestoreFails(await writeArchiveOf(changed(name, flipped)), 4, place);
    await assertRestoreFails(await writeArchiveOf(without(name)), 4, place);
  }
  const [table, , bundle, blob] = kinds() as [string, string, string, string];
  for (const name of [table, bundle, blob, MANIFEST]) {
    await assertRestoreFails(await writeArchiveOf(changed(name, (bytes) => bytes.subarray(0, -1))), 4, place);
  }
  for (const name of [table, blob]) {
    await assertRestoreFails(await writeArchiveOf([...parts, [name, parts.get(name)!]]), 4, place);
    await assertRestoreFails(await writeArchiveOf([[name, parts.get(name)!], ...parts]), 4, place);
  }
  assert.equal(await isUntouched(place), true);
});

test('rejects an archive that is truncated or has a flipped bit, and writes nothing', async () => {
  await using place = await createEmptyPlace();
  const { length } = await readFile(file);
  for (let at = 0; at < 1; at += 1 / 8) {
    const place_ = Math.floor(at * length);
    await assertRestoreFails(await writeDamagedCopy(file, (bytes) => bytes.subarray(0, place_)), 4, place);
  }
  // Positions: name, size and type in the header of the first file; the end of the archive.
  for (const byte of [1024, 1024 + 124, 1024 + 156, 512, length - 1]) {
    const flip = (bytes: Buffer) => {
      bytes[byte]! ^= 1;
      return bytes;
    };
    await assertRestoreFails(await writeDamagedCopy(file, flip), 4, place);
  }
  assert.equal(await isUntouched(place), true);
});

test('rejects malicious names and contents with valid checksums and leaves nothing', async () => {
  await using place = await createEmptyPlace();
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
    await assertRestoreFails(await writeSealedArchive(each), 4, place);
    assert.equal(await isUntouched(place), true);
  }
});

/** Changes columns of the only row of a table. */
function rowWith(table: string, change: Readonly<Record<string, unknown>>): Parts {
  return changed(`tables/${table}.ndjson`, (bytes) => {
    const [first, row] = String(bytes)
      .split('\n')
      .map((line) => line && JSON.parse(line));
    const columns = (first as [string, string][]).map(([name]) => name);
    const values = columns.map((name, at) => (name in change ? change[name] : row[at]));
    return Buffer.from(`${JSON.stringify(first)}\n${JSON.stringify(values)}\n`);
  });
}

test('rejects rows that contradict the repositories, files or schema of the archive, and restores nothing', async () => {
  await using place = await createEmptyPlace();
  const list = (change: (line: RepositoryLine) => unknown) =>
    changed('repositories.ndjson', (bytes) => Buffer.from(`${JSON.stringify(change(JSON.parse(String(bytes))))}\n`));
  const second = changed('repositories.ndjson', (bytes) => {
    const line = JSON.parse(String(bytes));
    return Buffer.from(`${bytes}${JSON.stringify({ ...line, name: 'snippets 2', bundle: null })}\n`);
  });
  const contradictions: Parts[] = [
    rowWith('snippets', { disk_path: '../../harm.git' }),
    rowWith('snippets', { disk_path: toDiskPath(2) }),
    rowWith('snippets', { storage: 'other' }),
    rowWith('snippets', { id: 2 }),
    rowWith('snippets', { title: null }),
    rowWith('snippets', { author_id: 4_000_000 }),
    rowWith('blobs', { sha256: '0'.repeat(64) }),
    rowWith('blobs', { sha256: "' or 1" }),
    list((line) => ({ ...line, storage: 'other' })),
    list((line) => ({ ...line, disk_path: 'plain.git' })),
    list((line) => ({ ...line, disk_path: null })),
    list(() => null),
    second,
  ];
  for (const each of contradictions) {
    await assertRestoreFails(await writeSealedArchive(each), 4, place);
    assert.equal(await isUntouched(place), true);
  }
});

test('rejects a manifest of another form', async () => {
  await using place = await createEmptyPlace();
  for (const change of [{ repositories: null }, { tables: [] }, { migrations: {} }, { parts: 1 }]) {
    await assertRestoreFails(await writeSealedArchive(parts, change as never), 4, place);
  }
  assert.equal(await isUntouched(place), true);
});

test('rejects an archive with a newer format, newer migrations, or of a version before 1.0.0', async () => {
  await using place = await createEmptyPlace();
  const { migrations: names } = JSON.parse(String(parts.get(MANIFEST)));
  await assertRestoreFails(await writeSealedArchive(parts, { migrations: [...names, '9999_tomorrow'] }), 5, place);
  await assertRestoreFails(await writeSealedArchive(parts, { migrations: ['0001_background'] }), 5, place);
  await assertRestoreFails(await writeSealedArchive(parts, { format: 2 as 1 }), 5, place);
  assert.equal(await isUntouched(place), true);
});

test('reports a missing file and a file that is no archive', async () => {
  await using place = await createEmptyPlace();
  await assertRestoreFails(join(place.dataDir, 'none.tar'), 1, place);
  await writeFile(join(place.dataDir, 'secret-key'), 'no archive');
  await assertRestoreFails(join(place.dataDir, 'secret-key'), 4, place);
});

test('rejects an archive that is not a regular file at once', async () => {
  await using place = await createEmptyPlace();
  const pipe = join(await scratchDirectory('hearth-archive-'), 'pipe.tar');
  execFileSync('mkfifo', [pipe]);
  await assertRestoreFails(pipe, 1, place);
  await assertRestoreFails(place.dataDir, 1, place);
  assert.equal(await isUntouched(place), true);
});
