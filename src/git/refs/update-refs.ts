import { type Git, ownedBy } from '../git.ts';
import { GitFailed, type GitFailure } from '../process/failures.ts';
import { createPool, type Speaker } from '../process/process-pool.ts';
import type { Repository } from '../repository.ts';
import { repositoryExists, syncDirectory } from '../storage/storage.ts';
import { refTurns } from './ref-lock.ts';
import { directoriesOfRef, resolveRef, validRefName, zeroId } from './refs.ts';
import { removeStaleLocksOfRefs } from './stale-locks.ts';

/** One ref, from where its caller has seen it to where it is to go. `zeroId` on one side: it is made, or removed. */
export interface RefChange {
  /** `refs/...` */
  readonly ref: string;
  readonly oldId: string;
  readonly newId: string;
}

/**
 * What came of an update. All its refs have moved and are durable, or none has:
 *
 * - `moved`: the ref is not at `oldId` any more (`actual` null: it does not exist). Somebody else was faster.
 * - `conflict`: `existing` (null: git does not say which) and the new ref cannot both exist, as `a` and `a/b`.
 * - `locked`: another process has held the ref's lock for longer than five seconds. It can be tried again.
 * - `missing-object`: `newId` is not in the repository, or is no commit and the ref is a branch.
 * - `invalid-name`: the ref's name is none.
 */
type RefUpdate =
  | { readonly ok: true }
  | {
      readonly refused: 'moved';
      readonly ref: string;
      readonly expected: string | null;
      readonly actual: string | null;
    }
  | { readonly refused: 'conflict'; readonly ref: string; readonly existing: string | null }
  | { readonly refused: 'locked'; readonly ref: string | null }
  | { readonly refused: 'missing-object'; readonly ref: string | null; readonly oid: string | null }
  | { readonly refused: 'invalid-name'; readonly ref: string | null };

/** The refused forms of `RefUpdate`. */
export type RefFailure = Exclude<RefUpdate, { ok: true }>;

const updaters = ownedBy((git) =>
  createPool(
    git,
    'update-ref',
    { flags: ['--no-deref', '--stdin'] },
    { processes: Math.max(2, git.limits.readers >> 1), seconds: 600 },
  ),
);

/** Tells that a ref of this repository, which exists, will be moved soon: what that takes is started meanwhile. */
export function expectUpdate(git: Git, repository: Repository): void {
  updaters(git).prepare(repository);
}

/**
 * Moves refs by compare-and-swap: all or none. The only way in which Hearth itself moves a ref. Rules of use:
 *
 * 1. The objects are written and durable before this is called.
 * 2. The caller has stored its intent (ref, old and new id) before, and settles it afterwards: between the two a crash may
 *    leave the refs moved or not, and the intent says which refs to look at.
 * 3. `oldId` is what the caller's decision was based on, not what it reads just before.
 * 4. A ref is named once. The default branch's `HEAD` is not a ref here: see `setHead`.
 *
 * Throws `GitFailed` for a broken repository or machine: then it is unknown whether the refs have moved. Throws `QueueFull`
 * when too many updates wait already: nothing has moved then.
 */
export async function updateRefs(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<RefUpdate> {
  for (const change of changes) {
    if (!validRefName(change.ref)) return { refused: 'invalid-name', ref: change.ref };
    if (!isId.test(change.oldId) || !isId.test(change.newId)) throw new Error(`${change.ref}: not an object id`);
  }
  const moving = changes.filter((change) => change.oldId !== change.newId);
  if (moving.length === 0) return { ok: true };
  if (!(await repositoryExists(repository))) return absent(moving[0]!);
  return refTurns(git)(repository.directory, () => transact(git, repository, moving));
}

const isId = /^[0-9a-f]{40}$/;

function absent(change: RefChange): RefUpdate {
  if (change.newId !== zeroId) return { refused: 'missing-object', ref: change.ref, oid: change.newId };
  return { refused: 'moved', ref: change.ref, expected: change.oldId, actual: null };
}

/** Times that an update waits for the locks of another process: git itself waits half a second in each. */
const PATIENCE = 10;

async function transact(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<RefUpdate> {
  for (let tries = 1; ; tries++) {
    const update = await transactOnce(git, repository, changes);
    if (!('refused' in update) || update.refused !== 'locked' || tries === PATIENCE) return update;
    if (tries > 1) continue;
    const refs = changes.map(({ ref }) => ref);
    await removeStaleLocksOfRefs(git, repository, refs);
  }
}

async function transactOnce(git: Git, repository: Repository, changes: readonly RefChange[]): Promise<RefUpdate> {
  try {
    await updaters(git).lend(repository, (updater) => say(updater, changes));
  } catch (error) {
    if (!(error instanceof GitFailed)) throw error;
    const refusal = await refusalOf(repository, changes, error.failure);
    if (refusal === null) throw error;
    return refusal;
  }
  // git has synced the files; their directories are ours to sync.
  const directories = new Set(changes.flatMap(({ ref, newId }) => directoriesOfRef(repository, ref, newId === zeroId)));
  await Promise.all([...directories].map((directory) => syncDirectory(directory).catch(gone)));
  return { ok: true };
}

/** One whole transaction in one write; git answers three lines, or ends with the reason. */
async function say(updater: Speaker, changes: readonly RefChange[]): Promise<void> {
  const lines = changes.map((change) =>
    change.newId === zeroId
      ? `delete ${change.ref} ${change.oldId}\n`
      : change.oldId === zeroId
        ? `create ${change.ref} ${change.newId}\n`
        : `update ${change.ref} ${change.newId} ${change.oldId}\n`,
  );
  updater.say(`start\n${lines.join('')}prepare\ncommit\n`);
  for (const step of ['start', 'prepare', 'commit']) {
    const answer = (await updater.line()).toString('latin1');
    if (answer !== `${step}: ok`) throw new Error(`git update-ref answered ${JSON.stringify(answer)} to ${step}`);
  }
}

async function refusalOf(
  repository: Repository,
  changes: readonly RefChange[],
  failure: GitFailure,
): Promise<RefFailure | null> {
  switch (failure.kind) {
    case 'moved': {
      const expected = changes.find((change) => change.ref === failure.ref)?.oldId ?? zeroId;
      const actual = failure.actual ?? (await resolveRef(repository, failure.ref));
      return { refused: 'moved', ref: failure.ref, expected: expected === zeroId ? null : expected, actual };
    }
    case 'conflict':
      return { refused: 'conflict', ref: failure.ref, existing: failure.existing };
    case 'locked':
      return { refused: 'locked', ref: failure.ref };
    case 'missing-object':
      return { refused: 'missing-object', ref: failure.ref, oid: failure.oid };
    case 'invalid-name':
      return { refused: 'invalid-name', ref: failure.ref };
    default:
      return null;
  }
}

/** A directory that git removed because the last ref below it is gone. */
function gone(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
