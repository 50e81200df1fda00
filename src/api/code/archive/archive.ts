import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Caller } from '#authentication/caller.ts';
import { type BlobStore, getBlobPath } from '#blobs/store.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import {
  type ArchiveFormat,
  type ArchiveOptions,
  type LfsFiles,
  type StartedArchive,
  streamArchive,
} from '#git/archive.ts';
import { definePerGit, type Git } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import { HEADS } from '#git/ref-names.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import { pathText, refName, string } from '#http/parameters/texts.ts';
import { boolean, commaSeparated } from '#http/parameters/types.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { checkApplicationLimit } from '#rate-limits/application-limit.ts';
import { createConcurrencySlots, getClientNetwork } from '#rate-limits/concurrency-slots.ts';
import { isLfsEnabled, listLinkedOids } from '#repositories/lfs/lfs-objects.ts';
import { formatContentDisposition } from '#repositories/raw-content.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { trimCharacters } from '#text/trim.ts';
import { openCachedArchive } from './archive-cache.ts';

/** Parameters of both archive endpoints. */
export const archiveParams = {
  format: describe(optional(string), 'Has no effect. The suffix of the path selects the format of the archive.'),
  sha: describe(optional(refName), 'Branch, tag or commit; absent: the default branch.'),
  path: describe(optional(pathText), 'Folder or file; absent: the whole tree.'),
  include_lfs_blobs: describe(optional(boolean, true), 'Replaces LFS pointers with the files that they name.'),
  // Each path is an argument of the git process, and the total size of arguments is limited.
  exclude_paths: describe(optional(commaSeparated(pathText, 100), []), 'Folders and files that are left out.'),
};

/** The values of a request that an archive depends on. */
interface DownloadCall {
  readonly project: Project;
  readonly caller: Caller;
  readonly request: IncomingRequest;
  readonly params: ParameterValues<typeof archiveParams>;
}

/** Returns the folder of cached archives. */
export const getArchiveFolder = ({ dataDir }: Pick<Services['config'], 'dataDir'>) => join(dataDir, 'archives');

/** Accepted values of the parameter `format`. Clients send the format of other responses, which has no meaning here. */
const RESPONSE_FORMATS: readonly string[] = ['json', 'txt'];

/** Suffix of the format, and whether the name of the archive contains the commit id. */
interface ArchiveNaming {
  readonly suffix: string;
  readonly namesCommit: boolean;
}

/** Streams the requested archive in the format of `suffix`. For HEAD requests it returns the headers alone. */
export async function streamArchiveDownload(
  services: Pick<Services, 'git' | 'database' | 'blobs' | 'config'>,
  call: DownloadCall,
  { suffix, namesCommit }: ArchiveNaming,
): Promise<StreamReply | Failure<'formatUnsupported' | 'tooMany' | 'notFound' | 'compressorMissing' | 'tooLarge'>> {
  const requestedFormat = call.params.format ?? 'json';
  if (!RESPONSE_FORMATS.includes(requestedFormat)) return fail('formatUnsupported', { format: requestedFormat });
  const limitFailure = await checkRateLimit(services, call);
  if (limitFailure !== null) return limitFailure;
  const { git, database, blobs } = services;
  const { project, params, request } = call;
  const { sha, path, exclude_paths: excludePaths } = params;
  const format = FORMATS[suffix] ?? 'tar.gz';
  const headersOnly = request.method === 'HEAD';
  const openLfsFiles = async () =>
    params.include_lfs_blobs ? openArchiveLfsFiles(database.reader, blobs, project) : undefined;
  const hasLfsFiles = async () => params.include_lfs_blobs && (await hasLinkedLfsFiles(database.reader, project));
  const cacheFolder = getArchiveFolder(services.config);
  const { client, clientAddress } = request;
  const requestOptions = { client, clientAddress, headersOnly, cacheFolder, hasLfsFiles, openLfsFiles };
  const archive = await createArchive(git, {
    project,
    format,
    namesCommit,
    sha,
    path,
    excludePaths,
    ...requestOptions,
  });
  if (isFailure(archive)) return archive;
  const headers = {
    'Content-Type': format === 'zip' ? 'application/zip' : 'application/octet-stream',
    'Content-Disposition': formatArchiveDisposition(archive.name),
    'Cache-Control': 'no-cache',
  };
  return { headers, ...(archive.content === undefined ? {} : { body: archive.content }) };
}

/** Adds the encoded form (`filename*`) only where the plain form cannot hold the name (contract/repository.md §4). */
function formatArchiveDisposition(name: string): string {
  const isPlainAscii = !/[^\x20-\x7e]|["\\]/.test(name);
  return isPlainAscii ? `attachment; filename="${name}"` : formatContentDisposition('attachment', name);
}

/** Applies the rate limit if the feature flag is on. Anonymous callers are counted by their network. */
async function checkRateLimit(
  { database, config: { tier } }: Pick<Services, 'database' | 'config'>,
  { project, caller, request }: DownloadCall,
): Promise<Failure<'tooMany'> | null> {
  const actor = { type: 'Project', id: project.id } as const;
  if (!(await isFeatureEnabled(database.reader, { flag: 'archive_rate_limit', tier, actor }))) return null;
  const subject = caller.user?.id ?? getClientNetwork(request.clientAddress);
  return checkApplicationLimit(database, {
    name: 'archive',
    subject: `${project.id}:${subject}`,
    limit: 5,
    periodSeconds: 60,
  });
}

/** Maps the suffix after `archive` in the path to a format (contract/repository.md §4). */
const FORMATS: Readonly<Record<string, ArchiveFormat>> = {
  '.tar.gz': 'tar.gz',
  '.tgz': 'tar.gz',
  '.gz': 'tar.gz',
  '.tar.bz2': 'tar.bz2',
  '.tbz': 'tar.bz2',
  '.tbz2': 'tar.bz2',
  '.tb2': 'tar.bz2',
  '.bz2': 'tar.bz2',
  '.tar': 'tar',
  '.zip': 'zip',
};

/** The parts of an archive's address after `/-/archive/`. */
interface ArchiveFile {
  readonly ref: string;
  /** Without suffix. */
  readonly name: string;
  readonly suffix: string;
}

/** Parses `fix/1/p-fix-1.zip`, or `main.zip` without a file name. Returns null for an unknown suffix. */
export function parseArchiveFile(refAndFile: string): ArchiveFile | null {
  const [suffix] = /\.(?:tar\.(?:gz|bz2)|tgz|gz|tbz2?|tb2|bz2|tar|zip)$/.exec(refAndFile) ?? [];
  if (suffix === undefined) return null;
  const path = refAndFile.slice(0, -suffix.length);
  const slash = path.lastIndexOf('/');
  const name = path.slice(slash + 1);
  return { ref: slash < 0 ? name : path.slice(0, slash), name, suffix };
}

/** The project and ref to archive, and the client that downloads the archive. */
interface ArchiveRequest {
  readonly project: LocatedRepository & { readonly path: string };
  readonly format: ArchiveFormat;
  readonly namesCommit: boolean;
  readonly sha?: string | null | undefined;
  readonly path?: string | null | undefined;
  readonly excludePaths: readonly string[];
  readonly client: RequestClient;
  readonly clientAddress: string;
  /** Only the name and existence of the archive are needed, not its content. */
  readonly headersOnly: boolean;
  /** The folder of cached archives. */
  readonly cacheFolder: string;
  /**
   * Returns whether LFS files may replace pointers. Such archives are not cached, because the LFS files of a project can
   * change.
   */
  readonly hasLfsFiles: () => Promise<boolean>;
  /** Opens the LFS files that replace pointers. Called just before git starts; released when git has ended. */
  readonly openLfsFiles: () => Promise<ArchiveLfsFiles | undefined>;
}

/** A created archive. */
interface Archive {
  /** The file name, with its suffix. */
  readonly name: string;
  readonly content: Readable | undefined;
}

/** Limits concurrent archives, because each needs a process for as long as its client reads. */
const archiveSlots = definePerGit(() => createConcurrencySlots({ perNetwork: 8, total: 16 }));

/** Creates an archive of a commit, or of one path in it. The same commit, name and path give the same bytes. */
async function createArchive(
  git: Git,
  request: ArchiveRequest,
): Promise<Archive | Failure<'notFound' | 'compressorMissing' | 'tooLarge'>> {
  const { project, format, namesCommit, headersOnly } = request;
  const repository = getRepository(git, project);
  const requestedRef = request.sha?.trim();
  const ref = requestedRef || project.default_branch;
  // The default branch is named in full, because otherwise a tag of the same name would take precedence.
  const commit = await resolveRevision(git, repository, requestedRef || HEADS + ref);
  const path = trimCharacters(request.path ?? '', '/');
  if (commit === null || (await findEntryAtPath(git, repository, commit, path)) === null) return fail('notFound');
  // The root folder: `<project>-<ref>[-<sha>][-<path>]`.
  const nameParts = [project.path, ref, ...(namesCommit ? [commit] : []), ...(path === '' ? [] : [path])];
  const prefix = nameParts.join('-').replaceAll('/', '-');
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
        start: () => startArchive(git, repository, options, { openLfsFiles: async () => undefined, clientAddress }),
      });
  if ('content' in archive) return { name, content: archive.content };
  if (archive.failure.kind === 'not-found') return fail('notFound');
  if (archive.failure.kind === 'unavailable') return fail('compressorMissing');
  // git can never create this archive. A timeout is excluded, because it may depend on the load.
  if (['too-large', 'out-of-memory', 'stack-overflow'].includes(archive.failure.kind)) return fail('tooLarge');
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

/** Returns whether git accepts the path as an excluded one. It rejects paths outside the tree. */
function isExcludable(path: string): boolean {
  return path !== '' && !path.split('/').some((part) => part === '.' || part === '..');
}

interface LfsProject {
  readonly id: number;
  readonly lfs_enabled: boolean;
  readonly namespace_id: number;
}

/** The LFS objects that replace pointers in one archive; `release` deletes the temporary directory. */
interface ArchiveLfsFiles extends LfsFiles {
  release(): Promise<void>;
}

/** Returns whether LFS objects are linked to the project. index: lfs_object_projects_pkey */
function hasLinkedLfsFiles(db: Reader, { id }: LfsProject): Promise<boolean> {
  return hasRow(db.selectFrom('lfs_object_projects').select('project_id').where('project_id', '=', id));
}

/**
 * Writes a list of the LFS objects of the project and of their files to a temporary directory, for git. Returns undefined if LFS is
 * off or the project has no objects.
 */
async function openArchiveLfsFiles(
  db: Reader,
  blobs: BlobStore,
  project: LfsProject,
): Promise<ArchiveLfsFiles | undefined> {
  if (!(await isLfsEnabled(db, project))) return undefined;
  const oids = await listLinkedOids(db, project.id);
  if (oids.length === 0) return undefined;
  const directory = await mkdtemp(join(tmpdir(), 'hearth-archive-'));
  await writeFile(join(directory, 'oids'), oids.map((oid) => `${oid} ${getBlobPath(blobs, oid)}\n`).join(''));
  return { directory, release: () => rm(directory, { recursive: true, force: true }) };
}
