import type { Project } from '../../../access/projects.ts';
import type { BlobStore } from '../../../blobs/store.ts';
import type { Tier } from '../../../config.ts';
import type { Database, Reader } from '../../../database/database.ts';
import { inPublicProject } from '../../../http/access/project-access.ts';
import { stream } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import { optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, commaArray, text } from '../../../http/parameters/types.ts';
import type { Incoming } from '../../../http/serving/incoming.ts';
import type { Caller } from '../../../identity/caller.ts';
import { applicationLimit } from '../../../limits/application-limit.ts';
import { isRefused } from '../../../refused.ts';
import { contentDisposition } from '../../../repositories/raw-content.ts';
import { isFeatureOn } from '../../../settings/features.ts';
import { archiveOf } from './archive.ts';
import { formatOf } from './formats.ts';
import { lendLfsFiles } from './lfs-files.ts';

const params = {
  sha: optional(text),
  path: optional(text),
  include_lfs_blobs: optional(boolean, true),
  exclude_paths: optional(commaArray(text), []),
};

const refuses = {
  tooMany: [
    429,
    { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    { 'Retry-After': '{seconds}' },
  ],
  unknown: [404, '404 File Not Found'],
  noProgram: [503, '503 Service Unavailable - bzip2 is not installed on this server'],
} as const;

export const readArchive = endpoint({
  get: '/projects/:id/repository/archive',
  summary: 'Download a repository as a tar.gz',
  access: inPublicProject('read_code'),
  params,
  refuses,
  answer: stream,
  handle: (call) => download(call, ''),
});

export const readArchiveAs = endpoint({
  get: '/projects/:id/repository/archive:format(^\\.(?:tar\\.gz|tgz|gz|tar\\.bz2|tbz|tbz2|tb2|bz2|tar|zip)$)',
  summary: 'Download a repository in the format that the suffix names',
  access: inPublicProject('read_code'),
  params: { ...params, format: required(text) },
  refuses,
  answer: stream,
  handle: (call) => download(call, call.params.format),
});

interface Downloading {
  readonly git: Parameters<typeof archiveOf>[0];
  readonly database: Database;
  readonly db: Reader;
  readonly blobs: BlobStore;
  readonly config: { readonly tier: Tier };
  readonly project: Project;
  readonly caller: Caller;
  readonly request: Incoming;
  readonly params: {
    readonly sha?: string | null;
    readonly path?: string | null;
    readonly include_lfs_blobs: boolean;
    readonly exclude_paths: readonly string[];
  };
}

async function download(call: Downloading, suffix: string) {
  const limited = await rateLimit(call);
  if (limited !== null) return limited;
  const { git, project, params, request } = call;
  const { sha, path, exclude_paths: excludePaths } = params;
  const format = formatOf(suffix);
  const headersOnly = request.method === 'HEAD';
  const lendLfs = async () => (params.include_lfs_blobs ? lendLfsFiles(call) : undefined);
  const archive = await archiveOf(git, { project, format, sha, path, excludePaths, headersOnly, lendLfs });
  if (isRefused(archive)) return archive;
  const headers = {
    'Content-Type': format === 'zip' ? 'application/zip' : 'application/octet-stream',
    'Content-Disposition': contentDisposition('attachment', archive.name),
    'Cache-Control': 'no-cache',
  };
  return { headers, body: archive.content };
}

/** Off unless the feature flag says otherwise; anonymous callers are told apart by their addresses. */
async function rateLimit({ database, config, project, caller, request }: Downloading) {
  const actor = { type: 'Project', id: project.id } as const;
  if (!(await isFeatureOn(database.reader, { flag: 'archive_rate_limit', tier: config.tier, actor }))) return null;
  const who = caller.user?.id ?? request.clientAddress;
  return applicationLimit(database, { name: 'archive', subject: `${project.id}:${who}`, limit: 5, periodSeconds: 60 });
}
