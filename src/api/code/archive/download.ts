import type { Caller } from '#authentication/caller.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import type { Incoming } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { applicationLimit } from '#rate-limits/application-limit.ts';
import { networkOf } from '#rate-limits/client-network.ts';
import { contentDisposition } from '#repositories/raw-content.ts';
import { type Failure, isFailure } from '#runtime/failure.ts';
import { isFeatureOn } from '#settings/features.ts';
import { archiveOf } from './archive.ts';
import { formatOf } from './formats.ts';
import { lendLfsFiles } from './lfs-files.ts';

interface Downloading {
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

/** The archive that is asked for in the format of this suffix; of HEAD the headers alone. */
export async function download(
  services: Pick<Services, 'git' | 'database' | 'blobs' | 'config'>,
  asked: Downloading,
  suffix: string,
): Promise<StreamReply | Failure<'tooMany' | 'unknown' | 'noProgram'>> {
  const limited = await rateLimit(services, asked);
  if (limited !== null) return limited;
  const { git, database, blobs } = services;
  const { project, params, request } = asked;
  const { sha, path, exclude_paths: excludePaths } = params;
  const format = formatOf(suffix);
  const headersOnly = request.method === 'HEAD';
  const lendLfs = async () => (params.include_lfs_blobs ? lendLfsFiles(database.reader, blobs, project) : undefined);
  const { client, clientAddress } = request;
  const asker = { client, clientAddress, headersOnly, lendLfs };
  const archive = await archiveOf(git, { project, format, sha, path, excludePaths, ...asker });
  if (isFailure(archive)) return archive;
  const headers = {
    'Content-Type': format === 'zip' ? 'application/zip' : 'application/octet-stream',
    'Content-Disposition': disposition(archive.name),
    'Cache-Control': 'no-cache',
  };
  return { headers, ...(archive.content === undefined ? {} : { body: archive.content }) };
}

/** In the second form too only where the first one can't say it (contract/repository.md §4). */
function disposition(name: string): string {
  const says = !/[^\x20-\x7e]|["\\]/.test(name);
  return says ? `attachment; filename="${name}"` : contentDisposition('attachment', name);
}

/** Off unless the feature flag says otherwise; anonymous callers are told apart by their networks. */
async function rateLimit(
  { database, config: { tier } }: Pick<Services, 'database' | 'config'>,
  { project, caller, request }: Downloading,
): Promise<Failure<'tooMany'> | null> {
  const actor = { type: 'Project', id: project.id } as const;
  if (!(await isFeatureOn(database.reader, { flag: 'archive_rate_limit', tier, actor }))) return null;
  const who = caller.user?.id ?? networkOf(request.clientAddress);
  return applicationLimit(database, { name: 'archive', subject: `${project.id}:${who}`, limit: 5, periodSeconds: 60 });
}
