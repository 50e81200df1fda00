import type { Project } from '../../../access/projects.ts';
import type { FileChange } from '../../../git/commit.ts';
import { lastCommitFor } from '../../../git/files.ts';
import { resolveRevision } from '../../../git/revision.ts';
import type { SignedIn } from '../../../identity/caller.ts';
import { isRefused, type Refused, refused } from '../../../refused.ts';
import { type CommitToBranchRefusal, commitToBranch } from '../../../repositories/commit-to-branch.ts';
import { type Bytes, type LfsRooms, storeContents } from '../../../repositories/lfs-content.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import type { SettlingRooms } from '../../../repositories/settle.ts';

export interface FileWrite {
  readonly project: Project;
  readonly caller: SignedIn;
  readonly path: string;
  readonly branch: string;
  readonly message: string;
  readonly startBranch: string | undefined;
  readonly authorName: string | undefined;
  readonly authorEmail: string | undefined;
  readonly lastCommitId?: string | undefined;
}

export type FileAction =
  | { readonly action: 'create' | 'update'; readonly content: Bytes; readonly executable: boolean | undefined }
  | { readonly action: 'delete' };

export type WriteRooms = SettlingRooms & LfsRooms;

/** One file changed by one commit. */
export async function writeFile(
  rooms: WriteRooms,
  write: FileWrite,
  change: FileAction,
): Promise<{ file_path: string; branch: string } | Refused<CommitToBranchRefusal>> {
  const { project, caller, path, branch, message, startBranch } = write;
  const committer = { name: caller.user.name, email: caller.user.email };
  const author = { name: write.authorName ?? committer.name, email: write.authorEmail ?? committer.email };
  const changes: FileChange[] = [];
  const made = await commitToBranch(rooms, {
    project,
    userId: caller.user.id,
    branch,
    startBranch,
    message,
    author,
    committer,
    changes,
    async check(parent) {
      if (await isStale(rooms, write, parent)) return refused('stale');
      const ready = await readyChange(rooms, write, change, parent);
      if (isRefused(ready)) return ready;
      changes.splice(0, changes.length, ready);
      return null;
    },
  });
  return isRefused(made) ? made : { file_path: path, branch };
}

async function readyChange(
  rooms: WriteRooms,
  { project, path }: FileWrite,
  change: FileAction,
  parent: string | null,
): Promise<FileChange | Refused<'lfsMissing'>> {
  if (change.action === 'delete') return { action: 'delete', path };
  const stored = await storeContents(rooms, project, parent, [{ path, content: change.content }]);
  if (isRefused(stored)) return stored;
  const { action, executable } = change;
  return { action, path, content: stored[0]!, ...(executable === undefined ? {} : { executable }) };
}

/**
 * Has the file changed since the caller looked at it? Its last commit as seen from the parent and as seen from
 * `last_commit_id` differ; when either sees none, nothing is known and nothing is stale.
 */
async function isStale(
  { git }: SettlingRooms,
  { project, path, lastCommitId }: FileWrite,
  parent: string | null,
): Promise<boolean> {
  if (lastCommitId === undefined || parent === null) return false;
  const repository = repositoryOf(git, project);
  const seen = await resolveRevision(git, repository, lastCommitId);
  if (seen === null) return false;
  const [now, then] = await Promise.all([
    lastCommitFor(git, repository, parent, path),
    lastCommitFor(git, repository, seen, path),
  ]);
  return now !== null && then !== null && now !== then;
}
