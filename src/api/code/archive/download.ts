import { join } from 'node:path';
import type { Caller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { ArchiveFormat } from '#git/archive.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { checkApplicationLimit } from '#rate-limits/application-limit.ts';
import { getClientNetwork } from '#rate-limits/concurrency-slots.ts';
import { formatContentDisposition } from '#repositories/raw-content.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { isFeatureEnabled } from '#settings/features.ts';
import { createArchive } from './archive.ts';
import { hasLinkedLfsFiles, openArchiveLfsFiles } from './lfs-files.ts';

interface DownloadCall {
  readonly project: Project;
  readonly caller: Caller;
  readonly request: IncomingRequest;
  readonly params: {
    readonly format: string | null | undefined;
    readonly sha: string | null | undefined;
    readonly path: string | null | undefined;
    readonly include_lfs_blobs: boolean;
    readonly exclude_paths: readonly string[];
  };
}

/** Returns the folder of cached archives. */
export const getArchiveFolder = ({ dataDir }: Pick<Services['config'], 'dataDir'>) => join(dataDir, 'archives');

/** Values of the parameter `format`, which are accepted and ignored. */
const RESPONSE_FORMATS: readonly string[] = ['json', 'txt'];

/** Streams the requested archive in the format of `suffix`. For HEAD requests it returns the headers alone. */
export async function streamArchiveDownload(
  services: Pick<Services, 'git' | 'database' | 'blobs' | 'config'>,
  call: DownloadCall,
  suffix: string,
): Promise<StreamReply | Failure<'formatUnsupported' | 'tooMany' | 'notFound' | 'compressorMissing' | 'tooLarge'>> {
  const requestedFormat = call.params.format ?? 'json';
  if (!RESPONSE_FORMATS.includes(requestedFormat)) return fail('formatUnsupported', { format: requestedFormat });
  const limitFailure = await checkRateLimit(services, call);
  if (limitFailure !== null) return limitFailure;
  const { git, database, blobs } = services;
  const { project, params, request } = call;
  const { sha, path, exclude_paths: excludePaths } = params;
  const format = toArchiveFormat(suffix);
  const headersOnly = request.method === 'HEAD';
  const openLfsFiles = async () =>
    params.include_lfs_blobs ? openArchiveLfsFiles(database.reader, blobs, project) : undefined;
  const hasLfsFiles = async () => params.include_lfs_blobs && (await hasLinkedLfsFiles(database.reader, project));
  const cacheFolder = getArchiveFolder(services.config);
  const { client, clientAddress } = request;
  const requestOptions = { client, clientAddress, headersOnly, cacheFolder, hasLfsFiles, openLfsFiles };
  const archive = await createArchive(git, { project, format, sha, path, excludePaths, ...requestOptions });
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

/** Returns the format for a suffix; tar.gz if it is empty. */
function toArchiveFormat(suffix: string): ArchiveFormat {
  return FORMATS[suffix] ?? 'tar.gz';
}
