import type { Project } from '#domain/namespaces/projects.ts';
import { streamPatchMails, streamRawDiff } from '#git/diff/diff.ts';
import { definePerGit } from '#git/git.ts';
import { GitError } from '#git/process/failures.ts';
import { type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import type { Services } from '#http/services.ts';
import { createConcurrencySlots } from '#rate-limits/concurrency-slots.ts';
import { NO_STORE_HEADERS } from '#repositories/raw-content.ts';
import { getRepository } from '#repositories/repository.ts';

/** Text formats of git for changes: `diff` is one diff, `patch` is a mail for each commit. */
export type PatchFormat = 'diff' | 'patch';

/** The commits whose difference is downloaded, and the format. */
interface PatchRequest {
  readonly project: Project;
  readonly request: IncomingRequest;
  /** The first commit of the comparison; null for an empty tree. */
  readonly from: string | null;
  /** The second commit; null if there is nothing to compare. */
  readonly to: string | null;
  readonly format: PatchFormat;
}

/** Limits concurrent downloads, because each needs a process for as long as its client reads. */
const downloadSlots = definePerGit(() => createConcurrencySlots({ perNetwork: 8, total: 16 }));

const STREAM_BY_FORMAT = { diff: streamRawDiff, patch: streamPatchMails };

/** The declared response of downloads. */
export const patchResponse = streamWith({ mediaTypes: ['text/plain'] });

/** Streams the whole change. Throws `GitError` if git fails before its first byte. */
export async function downloadPatch(
  { git }: Pick<Services, 'git'>,
  { project, request, from, to, format }: PatchRequest,
): Promise<StreamReply> {
  const headers = { ...NO_STORE_HEADERS, 'Content-Type': 'text/plain; charset=utf-8' };
  if (to === null) return { headers, body: '' };
  if (request.method === 'HEAD') return { headers };
  const release = await downloadSlots(git).take(request.clientAddress, request.client);
  try {
    const output = await STREAM_BY_FORMAT[format](git, getRepository(git, project), from, to);
    if ('failure' in output) throw new GitError(format, output.failure);
    output.content.once('close', release);
    return { headers, body: output.content };
  } catch (error) {
    release();
    throw error;
  }
}
