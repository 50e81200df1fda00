import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type CommitRequest, commitChanges, type FileChange } from './commits/commit.ts';
import { createGit, type Git, type GitLimits, getRepositoryAt } from './git.ts';
import { readCommit } from './objects/object-reader.ts';
import { readGitOutput } from './process/spawn.ts';
import { resolveRef, ZERO_ID } from './refs/refs.ts';
import { updateRefs } from './refs/update-refs.ts';
import type { Repository } from './repository.ts';
import { ensureRepository, toDiskPath } from './storage/storage.ts';
import { historyWalkLimiter } from './trees/path-entries.ts';

/** A `Git` over its own directory and a manual clock, for unit tests. */
export interface GitWorld {
  readonly git: Git;
  readonly root: string;
  /** An existing, empty repository whose HEAD is `main`. */
  readonly repository: Repository;
  /** The clock's time in milliseconds since 1970. */
  time: number;
}

/** Creates a world, which is removed after the test. The test fails if a git process still runs then. */
export async function createGitWorld(test: TestContext, limits: Partial<GitLimits> = {}): Promise<GitWorld> {
  const root = await mkdtemp(join(tmpdir(), 'hearth-git-'));
  const clock = { now: () => new Date(world.time) };
  const git = createGit({ storages: { default: root }, clock, limits });
  const repository = getRepositoryAt(git, 'default', toDiskPath(1));
  const world: GitWorld = { git, root, repository, time: Date.UTC(2024, 5, 28, 10, 44, 20) };
  await ensureRepository(repository, { defaultBranch: 'main' });
  test.after(async () => {
    await git.close();
    assert.equal(git.processes.children.size, 0, 'git processes are left');
    await rm(root, { recursive: true, force: true });
  });
  return world;
}

export const TEST_SIGNER = { name: 'Jane Doe', email: 'jane@example.com' };

/** Returns changes that create files: path -> content. */
export function createFileChanges(contents: Readonly<Record<string, string>>): FileChange[] {
  return Object.entries(contents).map(([path, content]) => ({ action: 'create', path, content: Buffer.from(content) }));
}

/** Commits to a branch, which is created if missing, and returns the commit id. */
export async function commitFiles(
  world: GitWorld,
  branch: string,
  changes: readonly FileChange[],
  overrides: Partial<CommitRequest> = {},
): Promise<string> {
  const { git, repository } = world;
  const ref = `refs/heads/${branch}`;
  const parent = await resolveRef(repository, ref);
  const request = { parent, changes, author: TEST_SIGNER, committer: TEST_SIGNER, message: 'Change\n', ...overrides };
  const result = await commitChanges(git, repository, request);
  assert.ok('ok' in result, JSON.stringify(result));
  const moved = await updateRefs(git, repository, [{ ref, oldId: parent ?? ZERO_ID, newId: result.commit }]);
  assert.deepEqual(moved, { ok: true });
  return result.commit;
}

/** Returns `git ls-tree -r` of a commit: path -> `mode type id`. */
export async function readTreeEntries(world: GitWorld, commit: string): Promise<Record<string, string>> {
  const flags = ['-r', '-z', '--full-tree'];
  const text = await readGitOutput(world.git, world.repository, 'ls-tree', { flags, args: [commit] });
  const lines = text.toString('utf8').split('\0').filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.slice(0, line.indexOf('\t'))]),
  );
}

/** Runs `git fsck` and throws if anything is broken. */
export async function checkRepository(world: GitWorld): Promise<void> {
  await readGitOutput(world.git, world.repository, 'fsck', { flags: ['--full', '--strict'] });
}

export async function getParentIds(world: GitWorld, commit: string): Promise<readonly string[]> {
  return (await readCommit(world.git, world.repository, commit))?.parentIds ?? [];
}

/** Returns a client that is connected until `leave` is called. */
export function createTestClient(network = '192.0.2.1'): { readonly client: RequestClient; leave(): void } {
  const controller = new AbortController();
  const { signal } = controller;
  const client = {
    get isDisconnected() {
      return signal.aborted;
    },
    signal,
    network,
    measureStall: () => 0,
    disconnect: () => controller.abort(),
  };
  return { client, leave: () => controller.abort() };
}

/** Fills all slots and the queue of the history walk limiter until the function is called or the test ends. */
export function occupyWalkLimiter(git: Git, test: TestContext): () => Promise<void> {
  const slots = Array.from({ length: git.limits.maxHistoryWalks + 256 }, (_, index) =>
    historyWalkLimiter(git).acquire(createTestClient(`network ${index}`)),
  );
  const releaseAll = async () => {
    for (const slot of slots) (await slot)();
  };
  test.after(releaseAll);
  return releaseAll;
}

/** Returns the id of a started process, waiting until it is known. */
export async function waitForPid(child: { readonly pid: number | undefined }): Promise<number> {
  while (child.pid === undefined) await setImmediate();
  return child.pid;
}
