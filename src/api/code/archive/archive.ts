import type { Readable } from 'node:stream';
import { type ArchiveFormat, type ArchiveOptions, type StartedArchive, streamArchive } from '#git/archive.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { GitError, type GitFailure } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { trimCharacters } from '#text/trim.ts';
import { openCachedArchive } from './archive-cache.ts';
import type { ArchiveLfsFiles } from './lfs-files.ts';

interface ArchiveRequest {
  readonly project: LocatedRepository & { readonly path: string };
  readonly format: ArchiveFormat;
  readonly sha?: string | null | undefined;
  readonly path?: string | null | undefined;
  readonly excludePaths: readonly string[];
  readonly client: RequestClient;
  readonly clientAddress: string;
  /** Only the name and existence of the archive are needed, not its content. */
  readonly headersOnly: boolean;
  /** The folder of cached archives. */
  readonly cacheFolder: string;
  /** Returns whether LFS files may replace pointers. They can change, so such archives are not cached. */
  readonly hasLfsFiles: () => Promise<boolean>;
  /** Opens the LFS files that replace pointers. Called just before git starts; released when git has ended. */
  readonly openLfsFiles: () => Promise<ArchiveLfsFiles | undefined>;
}

interface Archive {
  /** The file name, with its suffix. */
  readonly name: string;
  readonly content: Readable | undefined;
}

/** Limits concurrent archives: each takes a process, and a slow client occupies it for a long time. */
const archiveSlots = definePerGit(() => createConcurrencySlots({ perNetwork: 8, total: 16 }));

/** Creates an archive of a commit, or of one path in it. The same commit, name and path give the same bytes. */
export async function createArchive(
  git: Git,
  request: ArchiveRequest,
): Promise<Archive | Failure<'notFound' | 'compressorMissing' | 'tooLarge'>> {
  const { project, format, headersOnly } = request;
  const repository = getRepository(git, project);
  const requestedRef = request.sha?.trim();
  const ref = requestedRef || project.default_branch;
  // The full ref name is used, because a tag of the same name would take precedence.
  const commit = await resolveRevision(git, repository, requestedRef || HEADS + ref);
  const path = trimCharacters(request.path ?? '', '/');
  if (commit === null || (await findEntryAtPath(git, repository, commit, path)) === null) return fail('notFound');
  const prefix = formatArchivePrefix(project.path, ref, commit, path);
  const name = `${prefix}.${format}`;
  if (headersOnly) return { name, content: undefined };
  const excludePaths = request.excludePaths.map((excluded) => excluded.replace(/^\/+/, '')).filter(isExcludable);
  const options = { commit, format, prefix, path, excludePaths };
  const { cacheFolder: folder, client, clientAddress } = request;
  const archive = (await request.hasLfsFiles())
    ? await startArchive(git, repository, options, request)
    : await openCachedArchive(git, repository, options, {
        folder,
        client,
        clientAddress,
        start: () => startArchive(git, repository, options, { openLfsFiles: openNoLfsFiles, clientAddress }),
      });
  if ('content' in archive) return { name, content: archive.content };
  if (archive.failure.kind === 'not-found') return fail('notFound');
  if (archive.failure.kind === 'unavailable') return fail('compressorMissing');
  if (isTooLarge(archive.failure)) return fail('tooLarge');
  throw new GitError('archive', archive.failure);
}

/** Starts git. The slot and the LFS files are held until the stream closes. */
async function startArchive(
  git: Git,
  repository: Repository,
  options: ArchiveOptions,
  {
    openLfsFiles,
    client,
    clientAddress,
  }: Pick<ArchiveRequest, 'openLfsFiles' | 'clientAddress'> & Partial<ArchiveRequest>,
): Promise<StartedArchive> {
  const releaseSlot = await archiveSlots(git).take(clientAddress, client);
  let lfs: ArchiveLfsFiles | undefined;
  const releaseResources = () => {
    releaseSlot();
    return lfs?.release();
  };
  try {
    lfs = await openLfsFiles();
    const archive = await streamArchive(git, repository, { ...options, lfs });
    if ('content' in archive) archive.content.once('close', () => void releaseResources());
    else await releaseResources();
    return archive;
  } catch (error) {
    await releaseResources();
    throw error;
  }
}

const openNoLfsFiles = async () => undefined;

/** Returns whether git can never create this archive. A timeout is excluded, because it may depend on the load. */
function isTooLarge({ kind }: GitFailure): boolean {
  return kind === 'too-large' || kind === 'out-of-memory' || kind === 'stack-overflow';
}

/** Returns the root folder of the archive: `<project>-<ref>-<sha>[-<path>]`. */
function formatArchivePrefix(project: string, ref: string, commit: string, path: string): string {
  return [project, ref, commit, ...(path === '' ? [] : [path])].join('-').replaceAll('/', '-');
}

/** Returns whether a path can be excluded: git rejects paths outside the tree. */
function isExcludable(path: string): boolean {
  return path !== '' && !path.split('/').some((part) => part === '.' || part === '..');
}
