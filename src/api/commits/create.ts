import type { Project } from '../../access/projects.ts';
import type { FileChange } from '../../git/commit.ts';
import { lastCommitFor } from '../../git/files.ts';
import { isSha } from '../../git/refs.ts';
import { resolveRevision } from '../../git/revision.ts';
import type { SignedIn } from '../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../refused.ts';
import { type CommitToBranchRefusal, commitToBranch } from '../../repositories/commit-to-branch.ts';
import { type LfsRooms, pointsNowhere, throughLfs } from '../../repositories/lfs-content.ts';
import { contentFor } from '../../repositories/new-content.ts';
import { repositoryOf } from '../../repositories/repository.ts';
import type { SettlingRooms } from '../../repositories/settle.ts';
import type { Action } from './actions.ts';

export interface NewCommit {
  readonly project: Project;
  readonly caller: SignedIn;
  readonly branch: string;
  readonly message: string;
  readonly actions: readonly Action[];
  readonly startBranch: string | undefined;
  readonly startSha: string | undefined;
  readonly authorName: string | undefined;
  readonly authorEmail: string | undefined;
  readonly force: boolean;
  readonly allowEmpty: boolean;
}

export type CreateRefusal = CommitToBranchRefusal | 'startShaInvalid' | 'startShaUnknown';
export type CreateRooms = SettlingRooms & LfsRooms;

/** One commit of several actions, applied in their order: all of them or none. */
export async function createCommitOn(
  rooms: CreateRooms,
  asked: NewCommit,
): Promise<{ commit: string } | Refused<CreateRefusal>> {
  const { project, caller, startSha, actions } = asked;
  const start = await startOf(rooms, project, startSha);
  if (isRefused(start)) return start;
  const committer = { name: caller.user.name, email: caller.user.email };
  const changes: FileChange[] = [];
  return commitToBranch(rooms, {
    ...asked,
    userId: caller.user.id,
    startSha: start,
    author: { name: asked.authorName ?? committer.name, email: asked.authorEmail ?? committer.email },
    committer,
    changes,
    async check(parent) {
      const stale = await stalePath(rooms, project, actions, parent);
      if (stale !== null) return refused('fileStale', { path: stale });
      const ready = await readyChanges(rooms, project, actions, parent);
      if (isRefused(ready)) return ready;
      changes.splice(0, changes.length, ...ready);
      return null;
    },
  });
}

async function startOf(
  { git }: CreateRooms,
  project: Project,
  sha: string | undefined,
): Promise<string | undefined | Refused<'startShaInvalid' | 'startShaUnknown'>> {
  if (sha === undefined) return undefined;
  if (!isSha(sha)) return refused('startShaInvalid', { sha });
  return (await resolveRevision(git, repositoryOf(git, project), sha)) ?? refused('startShaUnknown', { sha });
}

/** The first path that has changed since its `last_commit_id`; null: none has. */
async function stalePath(
  { git }: CreateRooms,
  project: Project,
  actions: readonly Action[],
  parent: string | null,
): Promise<string | null> {
  if (parent === null) return null;
  const repository = repositoryOf(git, project);
  for (const { change, lastCommitId } of actions) {
    if (lastCommitId === undefined) continue;
    const path = change.action === 'move' ? change.from : change.path;
    const seen = await resolveRevision(git, repository, lastCommitId);
    const then = seen === null ? null : await lastCommitFor(git, repository, seen, path);
    const now = await lastCommitFor(git, repository, parent, path);
    if (then !== null && now !== null && then !== now) return path;
  }
  return null;
}

async function readyChanges(
  rooms: CreateRooms,
  project: Project,
  actions: readonly Action[],
  parent: string | null,
): Promise<FileChange[] | Refused<'lfsMissing'>> {
  const written = actions.flatMap(({ change, content }) => (content === undefined ? [] : [{ change, content }]));
  const contents = written.map(({ change, content }) => ({ path: change.path, content }));
  const stored = await throughLfs(rooms, project, parent, contents);
  if (await pointsNowhere(rooms.database, project, stored)) return refused('lfsMissing');
  const repository = repositoryOf(rooms.git, project);
  const ready = new Map<FileChange, FileChange>();
  for (const [index, { change }] of written.entries()) {
    ready.set(change, { ...change, content: await contentFor(rooms.git, repository, stored[index]!) } as FileChange);
  }
  return actions.map(({ change }) => ready.get(change) ?? change);
}
