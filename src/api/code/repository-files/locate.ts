import { entryAt, lastCommitFor, type PathEntry } from '../../../git/files.ts';
import type { Git } from '../../../git/git.ts';
import { blobSha256, objectInfo } from '../../../git/objects.ts';
import { resolveRevisionAt } from '../../../git/revision.ts';
import { type Refused, refused } from '../../../refused.ts';
import { type Placed, refVersion, repositoryOf } from '../../../repositories/repository.ts';

/** A file as one commit has it, with all that its headers tell. */
export interface LocatedFile {
  readonly path: string;
  readonly name: string;
  /** As the caller has named it. */
  readonly ref: string;
  readonly commitId: string;
  readonly lastCommitId: string;
  readonly blobId: string;
  readonly size: number;
  readonly sha256: string;
  readonly executable: boolean;
  /** A submodule: its "blob" is a commit of another repository. */
  readonly submodule: boolean;
}

/** A repository with the version that its refs have in this request. */
export interface Versioned extends Placed {
  readonly ref_state_version: number;
  readonly default_branch: string;
}

const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Finds the file; `commit`: no such ref, `file`: nothing there, or a directory. */
export async function locateFile(
  git: Git,
  project: Versioned,
  { file_path: path, ref }: { readonly file_path: string; readonly ref: string },
): Promise<LocatedFile | Refused<'commit' | 'file'>> {
  const repository = repositoryOf(git, project);
  const commitId = await resolveRevisionAt(git, repository, ref, refVersion(project));
  if (commitId === null) return refused('commit');
  const entry = await entryAt(git, repository, commitId, path);
  if (entry === null || entry.type === 'tree') return refused('file');
  const [content, last] = await Promise.all([
    contentOf(git, project, entry),
    lastCommitFor(git, repository, commitId, path),
  ]);
  return {
    path,
    name: entry.name,
    ref,
    commitId,
    lastCommitId: last ?? commitId,
    blobId: entry.id,
    ...content,
    executable: entry.mode === '100755',
    submodule: entry.type === 'commit',
  };
}

async function contentOf(git: Git, project: Placed, entry: PathEntry): Promise<{ size: number; sha256: string }> {
  if (entry.type === 'commit') return { size: 0, sha256: SHA256_OF_NOTHING };
  const repository = repositoryOf(git, project);
  const info = await objectInfo(git, repository, entry.id);
  return { size: info?.size ?? 0, sha256: (await blobSha256(git, repository, entry.id)) ?? SHA256_OF_NOTHING };
}
