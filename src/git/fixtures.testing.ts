import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Client } from '#runtime/concurrency-limiter.ts';
import { type CommitRequest, commitChanges, type FileChange } from './commits/commit.ts';
import { createGit, type Git, type GitLimits, repositoryAt } from './git.ts';
import { readCommit } from './objects/object-reader.ts';
import { output } from './process/spawn.ts';
import { resolveRef, zeroId } from './refs/refs.ts';
import { updateRefs } from './refs/update-refs.ts';
import type { Repository } from './repository.ts';
import { diskPathFor, ensureRepository } from './storage/storage.ts';
import { walks } from './trees/path-entries.ts';

/** For unit tests of this room: a `Git` over a directory of its own, and a clock that a test moves by hand. */
export interface GitWorld {
  readonly git: Git;
  readonly root: string;
  /** Exists, empty, HEAD at `main`. */
  readonly repository: Repository;
  /** Milliseconds since 1970 that the clock shows. */
  time: number;
}

/** A world that is torn down with the test, which fails when a git process is left. */
export async function gitWorld(test: TestContext, limits: Partial<GitLimits> = {}): Promise<GitWorld> {
  const root = await mkdtemp(join(tmpdir(), 'hearth-git-'));
  const clock = { now: () => new Date(world.time) };
  const git = createGit({ storages: { default: root }, clock, limits });
  const repository = repositoryAt(git, 'default', diskPathFor(1));
  const world: GitWorld = { git, root, repository, time: Date.UTC(2024, 5, 28, 10, 44, 20) };
  await ensureRepository(repository, { defaultBranch: 'main' });
  test.after(async () => {
    await git.close();
    assert.equal(git.processes.children.size, 0, 'git processes are left');
    await rm(root, { recursive: true, force: true });
  });
  return world;
}

export const someone = { name: 'Jane Doe', email: 'jane@example.com' };

/** Files of a first version: path -> content. */
export function files(contents: Readonly<Record<string, string>>): FileChange[] {
  return Object.entries(contents).map(([path, content]) => ({ action: 'create', path, content: Buffer.from(content) }));
}

/** Makes a commit on a branch, which need not exist yet, and moves it; gives the commit's id. */
export async function commitTo(
  world: GitWorld,
  branch: string,
  changes: readonly FileChange[],
  more: Partial<CommitRequest> = {},
): Promise<string> {
  const { git, repository } = world;
  const ref = `refs/heads/${branch}`;
  const parent = await resolveRef(repository, ref);
  const request = { parent, changes, author: someone, committer: someone, message: 'Change\n', ...more };
  const result = await commitChanges(git, repository, request);
  assert.ok('ok' in result, JSON.stringify(result));
  const moved = await updateRefs(git, repository, [{ ref, oldId: parent ?? zeroId, newId: result.commit }]);
  assert.deepEqual(moved, { ok: true });
  return result.commit;
}

/** `git ls-tree -r` of a commit: path -> `mode type id`. */
export async function treeOf(world: GitWorld, commit: string): Promise<Record<string, string>> {
  const flags = ['-r', '-z', '--full-tree'];
  const text = await output(world.git, world.repository, 'ls-tree', { flags, args: [commit] });
  const lines = text.toString('utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]),
  );
}

/** What git itself thinks of the repository; throws when anything is broken. */
export async function checkRepository(world: GitWorld): Promise<void> {
  await output(world.git, world.repository, 'fsck', { flags: ['--full', '--strict'] });
}

export async function parentsOf(world: GitWorld, commit: string): Promise<readonly string[]> {
  return (await readCommit(world.git, world.repository, commit))?.parentIds ?? [];
}

/** A client that waits for an answer until it leaves. */
export function someClient(): { readonly client: Client; leave(): void } {
  const controller = new AbortController();
  const { signal } = controller;
  const client = {
    get gone() {
      return signal.aborted;
    },
    signal,
  };
  return { client, leave: () => controller.abort() };
}

/** So many walk through histories, and wait to, that nobody else gets into the line, until the function or the test ends. */
export function fillWalks(git: Git, test: TestContext): () => Promise<void> {
  const taken = Array.from({ length: git.limits.walks + 256 }, () => walks(git).take());
  const leave = async () => {
    for (const place of taken) (await place)();
  };
  test.after(leave);
  return leave;
}

/** The number of a process that was started, which may not run yet. */
export async function pidOf(child: { readonly pid: number | undefined }): Promise<number> {
  while (child.pid === undefined) await setImmediate();
  return child.pid;
}
