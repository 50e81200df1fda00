import assert from 'node:assert/strict';
import { chmod, mkdir, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { listMissingObjects } from '../objects/missing-objects.ts';
import { listRefs } from '../refs/refs.ts';
import type { Repository } from '../repository.ts';
import { fsck, repack } from '../storage/maintenance.ts';
import { createGitWithWorkingCopy } from '../transport/client.testing.ts';
import { computeRepositoryChecksum } from './checksum.ts';
import { copyRepository, isCopyIntact, moveIntoPlace } from './copy-repository.ts';

const { signal } = new AbortController();

/** Creates a repository with two packed commits, a loose one and an unreachable object, and the path of its copy. */
async function scene(t: TestContext) {
  const { git, repository, copy } = await createGitWithWorkingCopy(t);
  await copy.commit('1', { a: 'a' });
  await copy.commit('2', { a: 'b' });
  await repack(git, repository, 'full');
  const id = await copy.commit('3', { b: 'c' });
  await copy.write('lonely', 'lonely');
  const lonely = await copy.git('hash-object', '-w', 'lonely');
  const draft: Repository = { directory: join(git.storages.default!, '+moves/1/draft.git') };
  return { git, repository, copy, id, lonely, draft };
}

test('a copy has all refs and all objects, including unreachable ones', async (t) => {
  const { git, repository, copy, id, lonely, draft } = await scene(t);
  await copy.git('tag', '-a', '-m', 'one', 'v1');
  for (const ref of ['refs/pipelines/1', 'refs/keep-around/x', 'refs/odd/y']) await copy.git('update-ref', ref, id);
  await copy.git('symbolic-ref', 'refs/remotes/origin/HEAD', 'refs/odd/y');
  const copied = await copyRepository(git, repository, draft, signal);
  assert.deepEqual(await listRefs(git, draft, 'refs/'), await listRefs(git, repository, 'refs/'));
  assert.equal(await computeRepositoryChecksum(git, draft), await computeRepositoryChecksum(git, repository));
  assert.deepEqual(await listMissingObjects(git, repository, draft, 10), []);
  assert.deepEqual(await fsck(git, draft), { ok: true });
  assert.equal(await isCopyIntact(git, { source: repository, copy: draft, copied }, signal), true);
  assert.match(
    await readFile(join(draft.directory, 'packed-refs'), 'utf8'),
    /^# pack-refs with: peeled fully-peeled sorted/,
  );
  assert.equal(copied.has(`objects/${lonely.slice(0, 2)}/${lonely.slice(2)}`), true);
  assert.equal((await readFile(join(draft.directory, 'HEAD'), 'utf8')).startsWith('ref: refs/heads/'), true);
});

test('does not copy hooks, alternates, locks and partial files', async (t) => {
  const { git, repository, draft } = await scene(t);
  const { directory } = repository;
  for (const path of ['hooks', 'objects/tmp_objdir-incoming-x/pack', 'objects/info']) {
    await mkdir(join(directory, path), { recursive: true });
  }
  const junk = [
    'hooks/pre-receive',
    'objects/info/alternates',
    'objects/pack/tmp_pack_x',
    `objects/pack/pack-${'0'.repeat(40)}.keep`,
    'objects/tmp_objdir-incoming-x/pack/p.pack',
    'packed-refs.lock',
    'refs/heads/main.lock',
  ];
  for (const path of junk) await writeFile(join(directory, path), '');
  await copyRepository(git, repository, draft, signal);
  const files = (await readdir(draft.directory, { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  );
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(draft.directory.length + 1));
  const belongs =
    /^(?:HEAD|config|packed-refs|objects\/[0-9a-f]{2}\/[0-9a-f]{38}|objects\/pack\/pack-[0-9a-f]{40}\.(?:pack|idx|bitmap|rev))$/;
  assert.deepEqual(
    paths.filter((path) => !belongs.test(path)),
    [],
  );
});

test('a copy made during a repack is complete', async (t) => {
  const { git, repository, copy, draft } = await scene(t);
  for (let round = 0; round < 3; round++) {
    for (let file = 0; file < 4; file++)
      await copy.commit(`${round} ${file}`, { [`${round}-${file}`]: `${round}-${file}` });
    const at = { directory: `${draft.directory}.${round}` };
    const [copied] = await Promise.all([
      copyRepository(git, repository, at, signal),
      repack(git, repository, 'incremental').then(() => repack(git, repository, 'full')),
    ]);
    assert.deepEqual(await listMissingObjects(git, repository, at, 10), []);
    assert.equal(await isCopyIntact(git, { source: repository, copy: at, copied }, signal), true);
    assert.deepEqual(await fsck(git, at), { ok: true });
  }
});

test('detects a changed byte, a missing file and a missing ref in a copy', async (t) => {
  const { git, repository, copy, id, draft } = await scene(t);
  const made = async (name: string) => {
    const at = { directory: `${draft.directory}.${name}` };
    return { at, copied: await copyRepository(git, repository, at, signal) };
  };
  const sound = ({ at, copied }: Awaited<ReturnType<typeof made>>) =>
    isCopyIntact(git, { source: repository, copy: at, copied }, signal);
  const bent = await made('bent');
  const pack = [...bent.copied.keys()].find((path) => path.endsWith('.pack'))!;
  await chmod(join(bent.at.directory, pack), 0o644);
  await using file = await open(join(bent.at.directory, pack), 'r+');
  await file.write(Buffer.from([0xff]), 0, 1, 40);
  assert.equal(await sound(bent), false);
  const hollow = await made('hollow');
  await rm(join(hollow.at.directory, pack));
  assert.equal(await sound(hollow), false);
  const behind = await made('behind');
  await copy.git('update-ref', 'refs/pipelines/2', id);
  assert.equal(await sound(behind), false);
});

test('moves a copy into place and creates missing directories', async (t) => {
  const { git, repository, draft } = await scene(t);
  await copyRepository(git, repository, draft, signal);
  const place = { directory: join(git.storages.default!, '@hashed/aa/bb/x.git') };
  await moveIntoPlace(draft, place);
  assert.equal(await computeRepositoryChecksum(git, place), await computeRepositoryChecksum(git, repository));
  await assert.rejects(
    copyRepository(git, repository, { directory: join(place.directory, 'HEAD/x') }, signal),
    /EEXIST/,
  );
});

test('fifty thousand refs become one file', async (t) => {
  const { git, repository, copy, id, draft } = await scene(t);
  await copy.git('pack-refs', '--all');
  const lines = Array.from({ length: 50_000 }, (_, at) => `${id} refs/heads/b${String(at).padStart(5, '0')}\n`);
  const [head] = (await listRefs(git, repository, 'refs/heads/')).map(({ name }) => `${id} ${name}\n`);
  await writeFile(join(repository.directory, 'packed-refs'), `# pack-refs with: sorted \n${lines.join('')}${head}`);
  const copied = await copyRepository(git, repository, draft, signal);
  assert.equal((await listRefs(git, draft, 'refs/heads/')).length, 50_001);
  assert.equal(await isCopyIntact(git, { source: repository, copy: draft, copied }, signal), true);
});
