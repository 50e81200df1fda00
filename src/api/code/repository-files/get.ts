import { type Git, ownedBy } from '#git/git.ts';
import { blobSha256, objectInfo } from '#git/objects/object-reader.ts';
import { resolveRevisionAt } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { entryAt, lastCommitFor, type PathEntry } from '#git/trees/path-entries.ts';
import { refVersion, repositoryOf, type Versioned } from '#repositories/repository.ts';
import { keptAtMost } from '#runtime/bounded-cache.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';

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

const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

interface Wanted {
  readonly file_path: string;
  readonly ref: string;
}

/** Every answer about a file begins with it, so that it is found by one look-up for as long as no ref has moved. */
const located = ownedBy(() => keptAtMost<LocatedFile>(5_000));

/** Finds the file; `commit`: no such ref, `file`: nothing there, or a directory. */
export async function locateFile(
  git: Git,
  project: Versioned,
  wanted: Wanted,
): Promise<LocatedFile | Failure<'commit' | 'file'>> {
  const { storage, disk_path } = project;
  const key = `${storage} ${disk_path} ${refVersion(project)} ${wanted.ref}\n${wanted.file_path}`;
  const known = located(git).get(key);
  if (known !== undefined) return known;
  const file = await findFile(git, project, wanted);
  if (!isFailure(file)) located(git).set(key, file);
  return file;
}

async function findFile(
  git: Git,
  project: Versioned,
  { file_path: path, ref }: Wanted,
): Promise<LocatedFile | Failure<'commit' | 'file'>> {
  const repository = repositoryOf(git, project);
  const commitId = await resolveRevisionAt(git, repository, ref, refVersion(project));
  if (commitId === null) return fail('commit');
  const file = await fileIn(git, repository, commitId, path);
  return file === null ? fail('file') : { ...file, ref };
}

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
