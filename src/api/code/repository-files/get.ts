import { definePerGit, type Git } from '#git/git.ts';
import { getBlobSha256, getObjectInfo } from '#git/objects/object-reader.ts';
import { resolveRevisionAtVersion } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath, findLastCommit, type PathEntry } from '#git/trees/path-entries.ts';
import { getRefVersion, getRepository, type VersionedRepository } from '#repositories/repository.ts';
import { createBoundedCache } from '#runtime/bounded-cache.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';

/** A file in one commit, with the values of its response headers. */
export interface FileAtRevision {
  readonly path: string;
  readonly name: string;
  /** The ref as the caller wrote it. */
  readonly ref: string;
  readonly commitId: string;
  readonly lastCommitId: string;
  readonly blobId: string;
  readonly size: number;
  readonly sha256: string;
  readonly isExecutable: boolean;
  /** Whether it is a submodule; `blobId` is then the commit of another repository. */
  readonly isSubmodule: boolean;
}

/** The properties of a file that are needed to send its content. */
export type LocatedContent = Pick<FileAtRevision, 'name' | 'blobId' | 'size' | 'isSubmodule'>;

/** SHA-256 of empty content, which stands for a submodule. */
const SHA256_OF_EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** The path of a file, and the ref as the caller sent it. */
interface FileLocator {
  readonly file_path: string;
  readonly ref: string;
}

/** Caches the file that a path and a ref name. Keys contain the version of the refs, so that an entry is never out of date. */
const fileCache = definePerGit(() => createBoundedCache<FileAtRevision>(5_000));

/** Finds the file. Fails with `commitNotFound` or, for a missing path or a directory, `fileNotFound`. */
export async function locateFile(
  git: Git,
  project: VersionedRepository,
  locator: FileLocator,
): Promise<FileAtRevision | Failure<'commitNotFound' | 'fileNotFound'>> {
  const { storage, disk_path } = project;
  const key = `${storage} ${disk_path} ${getRefVersion(project)} ${locator.ref}\n${locator.file_path}`;
  const cached = fileCache(git).get(key);
  if (cached !== undefined) return cached;
  const file = await findFile(git, project, locator);
  if (!isFailure(file)) fileCache(git).set(key, file);
  return file;
}

async function findFile(
  git: Git,
  project: VersionedRepository,
  { file_path: path, ref }: FileLocator,
): Promise<FileAtRevision | Failure<'commitNotFound' | 'fileNotFound'>> {
  const repository = getRepository(git, project);
  const commitId = await resolveRevisionAtVersion(git, repository, ref, getRefVersion(project));
  if (commitId === null) return fail('commitNotFound');
  const file = await findFileInCommit(git, repository, commitId, path);
  return file === null ? fail('fileNotFound') : { ...file, ref };
}

/** Finds the content of a file; null if there is none. Neither reads the content nor walks the history, as `locateFile` does. */
export async function locateContent(
  git: Git,
  project: VersionedRepository,
  { file_path: path, ref }: FileLocator,
): Promise<LocatedContent | null> {
  const repository = getRepository(git, project);
  const commitId = await resolveRevisionAtVersion(git, repository, ref, getRefVersion(project));
  const entry = commitId === null ? null : await findEntryAtPath(git, repository, commitId, path);
  if (entry === null || entry.type === 'tree') return null;
  return {
    name: entry.name,
    blobId: entry.id,
    size: await loadSize(git, repository, entry),
    isSubmodule: entry.type === 'commit',
  };
}

async function findFileInCommit(
  git: Git,
  repository: Repository,
  commitId: string,
  path: string,
): Promise<Omit<FileAtRevision, 'ref'> | null> {
  const entry = await findEntryAtPath(git, repository, commitId, path);
  if (entry === null || entry.type === 'tree') return null;
  const [sizeAndHash, lastCommitId] = await Promise.all([
    loadSizeAndHash(git, repository, entry),
    findLastCommit(git, repository, commitId, path),
  ]);
  return {
    path,
    name: entry.name,
    commitId,
    lastCommitId: lastCommitId ?? commitId,
    blobId: entry.id,
    ...sizeAndHash,
    isExecutable: entry.mode === '100755',
    isSubmodule: entry.type === 'commit',
  };
}

/** Returns the size and SHA-256 of a file. A submodule counts as an empty file. */
async function loadSizeAndHash(
  git: Git,
  repository: Repository,
  entry: PathEntry,
): Promise<{ size: number; sha256: string }> {
  if (entry.type === 'commit') return { size: 0, sha256: SHA256_OF_EMPTY };
  const sha256 = await getBlobSha256(git, repository, entry.id);
  // Cached: the hash needs the content, and git sends the size with it.
  return { size: await loadSize(git, repository, entry), sha256: sha256 ?? SHA256_OF_EMPTY };
}

async function loadSize(git: Git, repository: Repository, { type, id }: PathEntry): Promise<number> {
  return type === 'commit' ? 0 : ((await getObjectInfo(git, repository, id))?.size ?? 0);
}
