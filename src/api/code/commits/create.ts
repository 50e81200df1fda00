import type { Project } from '../../../access/projects.ts';
import type { FileChange, FileContent } from '../../../git/commit.ts';
import { lastCommitFor } from '../../../git/files.ts';
import { isSha } from '../../../git/refs.ts';
import { resolveRevision } from '../../../git/revision.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { type CommitToBranchRefusal, commitToBranch } from '../../../repositories/commit-to-branch.ts';
import { type LfsRooms, type NewContent, storeContents } from '../../../repositories/lfs-content.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { SettlingRooms } from '../../../repositories/settle.ts';
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
  for (const { path: to, from, lastCommitId } of actions) {
    if (lastCommitId === undefined) continue;
    const path = from ?? to;
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
  const written = actions.filter((action) => action.content !== undefined);
  const contents = written.map(({ path, content }) => ({ path, content }) as NewContent);
  const stored = await storeContents(rooms, project, parent, contents);
  if (isRefused(stored)) return stored;
  const contentOf = new Map(written.map((action, index) => [action, stored[index]!]));
  return actions.map((action) => changeOf(action, contentOf.get(action)));
}

/** The kind says which of the other properties are there: they were checked when the action was read. */
function changeOf({ kind, path, from, executable }: Action, content: FileContent | undefined): FileChange {
  const given = Object.entries({ from, content, executable }).filter(([, value]) => value !== undefined);
  return { action: kind, path, ...Object.fromEntries(given) } as FileChange;
}
