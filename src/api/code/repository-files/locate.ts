import { LRUCache } from 'lru-cache';
import { entryAt, lastCommitFor, type PathEntry } from '../../../git/files.ts';
import { type Git, ownedBy } from '../../../git/git.ts';
import { blobSha256, objectInfo } from '../../../git/objects.ts';
import type { Repository } from '../../../git/repository.ts';
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
  const key = `${repository.directory} ${commitId} ${path}`;
  const known = located(git).get(key);
  if (known !== undefined) return { ...known, ref };
  const file = await fileIn(git, repository, commitId, path);
  if (file === null) return refused('file');
  located(git).set(key, file);
  return { ...file, ref };
}

/** What a commit has at a path stays so for ever: every answer about a file begins with it. */
const located = ownedBy(() => new LRUCache<string, Omit<LocatedFile, 'ref'>>({ max: 5_000 }));

async function fileIn(
  git: Git,
  repository: Repository,
  commitId: string,
  path: string,
): Promise<Omit<LocatedFile, 'ref'> | null> {
  const entry = await entryAt(git, repository, commitId, path);
  if (entry === null || entry.type === 'tree') return null;
  const [content, last] = await Promise.all([
    contentOf(git, repository, entry),
    lastCommitFor(git, repository, commitId, path),
  ]);
  return {
    path,
    name: entry.name,
    commitId,
    lastCommitId: last ?? commitId,
    blobId: entry.id,
    ...content,
    executable: entry.mode === '100755',
    submodule: entry.type === 'commit',
  };
}

async function contentOf(
  git: Git,
  repository: Repository,
  entry: PathEntry,
): Promise<{ size: number; sha256: string }> {
  if (entry.type === 'commit') return { size: 0, sha256: SHA256_OF_NOTHING };
  const info = await objectInfo(git, repository, entry.id);
  return { size: info?.size ?? 0, sha256: (await blobSha256(git, repository, entry.id)) ?? SHA256_OF_NOTHING };
}
