import { parseFilePaths, type Snippet } from '#domain/snippets.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { openStreamForClient } from '#rate-limits/stream-limits.ts';
import { formatContentDisposition, NO_STORE_HEADERS } from '#repositories/raw-content.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';

/** Streams the content of the first file. Throws 404 if a push has just removed it. */
export function streamFirstFile(
  services: Pick<Services, 'git'>,
  snippet: Snippet,
  client: RequestClient,
): Promise<StreamReply> {
  const [path = ''] = parseFilePaths(snippet);
  return streamFile(services, snippet, { ref: snippet.default_branch, path }, client);
}

/** Streams the content of a file at a ref as text. Throws 404 for an unknown ref or file. */
export async function streamFile(
  { git }: Pick<Services, 'git'>,
  snippet: Snippet,
  { ref, path }: { readonly ref: string; readonly path: string },
  client: RequestClient,
): Promise<StreamReply> {
  const repository = getRepository(git, snippet);
  const commit = await resolveRevision(git, repository, ref);
  if (commit === null) throw notFound('Reference');
  const entry = await findEntryAtPath(git, repository, commit, path);
  const object = entry?.type === 'blob' ? await openStreamForClient(git, repository, entry.id, client) : null;
  if (object === null) throw notFound('File');
  const headers = {
    ...NO_STORE_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': formatContentDisposition('inline', path.slice(path.lastIndexOf('/') + 1)),
    'Content-Length': String(object.size),
  };
  return { headers, body: object.content };
}
