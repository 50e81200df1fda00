import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createGit, getRepositoryAt } from '#git/git.ts';
import {
  commitTree,
  createDeltaPack,
  createObject,
  writeNestedTrees,
  writeWideTree,
} from '#git/objects/bombs.testing.ts';
import { writeObject } from '#git/objects/loose-objects.ts';
import { spawnGit } from '#git/process/spawn.ts';
import { toDiskPath } from '#git/storage/storage.ts';
import { formatTree } from '#git/trees/tree-edit.ts';
import { type Answered, attack, head, startTarget } from './attack.ts';

// Requests every kind of data from pushed repositories that are small when stored and expand to gigabytes.

const target = await startTarget({ idleTimeout: 10_000 });
const { id } = await target.done('POST', '/projects', { name: 'bombs', initialize_with_readme: true });
const at = `/projects/${id}/repository`;

// No client gets these past git's own limits in a moment, so that they are planted.
const git = createGit({
  storages: { default: join(target.dataDir, 'repositories') },
  clock: { now: () => new Date(0) },
});
after(() => git.close());
const repository = getRepositoryAt(git, 'default', toDiskPath(id));

const nested = await commitTree(git, repository, await writeNestedTrees(git, repository, 10, 10));
const wide = await commitTree(git, repository, await writeWideTree(git, repository, 700_000));

/** A commit with one file of 600 MiB that takes next to nothing. */
async function plantDelta(): Promise<string> {
  const pack = await createDeltaPack(600);
  const child = spawnGit(git, repository, 'index-pack', { flags: ['--stdin'] });
  child.stdout.resume();
  child.stdin.end(pack);
  assert.equal((await child.done).ok, true);
  const ids = await idsOf(pack);
  const base = await createObject('blob', Buffer.alloc(2 ** 20));
  const entry = { mode: '100644', type: 'blob', id: ids.find((id) => id !== base.id)!, name: 'bomb' } as const;
  return commitTree(git, repository, await writeObject(git, repository, 'tree', formatTree([entry])));
}

/** Of both objects of a pack, as git has found them; they follow its 256 counts. */
async function idsOf(pack: Buffer): Promise<string[]> {
  const name = pack.subarray(-20).toString('hex');
  const index = await readFile(join(repository.directory, `objects/pack/pack-${name}.idx`));
  return [0, 1].map((at) => index.toString('hex', 8 + 256 * 4 + at * 20, 8 + 256 * 4 + at * 20 + 20));
}

const delta = await plantDelta();

/** A commit by hand. */
async function plantCommit(head: string): Promise<string> {
  const tree = await writeObject(git, repository, 'tree', Buffer.alloc(0));
  const signed = 'A <a@example.com> 1 +0000';
  const text = `tree ${tree}\nauthor ${signed}\ncommitter ${signed}\n${head}\nm\n`;
  return writeObject(git, repository, 'commit', Buffer.from(text));
}

const signed = await plantCommit(`gpgsig -----BEGIN\n${' x\n'.repeat(3_000_000)}`);

/** Sends each request several times, concurrently; returns the statuses, 0 for an aborted response. */
async function askAll(paths: readonly string[], times = 4): Promise<number[]> {
  const all = Array.from({ length: times }, () => paths).flat();
  const answers = all.map((path) => target.send('GET', `${at}/${path}`).catch(() => ({ status: 0 }) as Answered));
  return [...new Set((await Promise.all(answers)).map(({ status }) => status))].sort();
}

attack('a page of a tree with ten billion paths needs only the work for its own entries', target, async () => {
  const pages = [1, 2, 50].map((page) => `tree?ref=${nested}&recursive=true&per_page=1&page=${page}`);
  assert.deepEqual(
    await askAll([...pages, `tree?ref=${nested}`, `commits?ref_name=${nested}&path=entry-0000001`]),
    [200],
  );
});

attack('rejects requests that need all entries of a huge tree', target, async () => {
  const twice = [`tree?ref=${nested}&recursive=true&pagination=none`, `commits/${nested}/diff`];
  assert.deepEqual(await askAll([...twice, ...twice], 1), [503]);
  // Archives of every format need the same count of entries first.
  assert.deepEqual(await askAll([`archive.tar?sha=${nested}`, `archive.zip?sha=${nested}`], 1), [422]);
});

attack('work on a huge tree stops when its clients disconnect', target, async () => {
  const paths = [
    `commits/${nested}/diff`,
    `commits/${nested}`,
    `archive.tar?sha=${nested}`,
    `tree?ref=${nested}&recursive=1`,
  ];
  const sockets = paths.map((path) =>
    target.open(head('GET', `/api/v4${at}/${path}&pagination=keyset`, target.asRoot)),
  );
  // Long enough to begin, far too short to end.
  await pause(300);
  for (const socket of sockets) socket.destroy();
});

let wider = 0;

attack('lists, reads and commits to a directory of 700,000 files', target, async () => {
  const first = 'files/entry-0123456/raw';
  assert.deepEqual(
    await askAll([`tree?ref=${wide}`, `${first}?ref=${wide}`, `files/none/raw?ref=${wide}`]),
    [200, 404],
  );
  const params = { branch: `wide-${wider++}`, start_sha: wide, commit_message: 'm' };
  const actions = [{ action: 'create', file_path: 'entry-0123456-new', content: 'new' }];
  await target.done('POST', `${at}/commits`, { ...params, actions, stats: false });
});

attack('rejects or aborts a file that expands to hundreds of megabytes', target, async () => {
  const file = `files/bomb?ref=${delta}`;
  const raw = `files/bomb/raw?ref=${delta}`;
  const statuses = await askAll([file, raw, `files/bomb/blame?ref=${delta}`, `commits/${delta}/diff`], 2);
  assert.deepEqual(
    statuses.filter((status) => ![0, 200, 413, 429, 503].includes(status)),
    [],
  );
});

attack('does not parse a signature of millions of lines', target, async () => {
  assert.deepEqual(await askAll([`commits/${signed}`, `commits?ref_name=${signed}`, `tree?ref=${signed}`], 2), [200]);
});

attack('rejects a push that expands to gigabytes', target, async () => {
  const text = (content: string) => Buffer.from(content);
  const tree = await createObject('tree', Buffer.alloc(0));
  const signed = 'A <a@example.com> 1 +0000';
  const commit = await createObject('commit', text(`tree ${tree.id}\nauthor ${signed}\ncommitter ${signed}\n\nm\n`));
  const pack = await createDeltaPack(3000, [tree, commit]);
  const command = `${'0'.repeat(40)} ${commit.id} refs/heads/pushed\0 report-status\n`;
  const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`;
  const secret = Buffer.from(`root:${target.asRoot['PRIVATE-TOKEN']}`).toString('base64');
  const headers = { Authorization: `Basic ${secret}`, 'Content-Type': 'application/x-git-receive-pack-request' };
  const body = Buffer.concat([text(line), pack]);
  const answer = await target.send('POST', '//root/bombs.git/git-receive-pack', { headers, body });
  assert.match(answer.text, /unpack (?!ok)/);
  assert.equal((await target.send('GET', `${at}/branches/pushed`)).status, 404);
});
