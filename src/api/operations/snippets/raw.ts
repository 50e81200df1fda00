import { SNIPPET_BRANCH } from '#domain/snippets.ts';
import { getRepositoryAt } from '#git/git.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { streamToClient } from '#rate-limits/stream-limits.ts';
import { formatContentDisposition, NO_STORE_HEADERS } from '#repositories/raw-content.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { parseFilePaths } from './entities.ts';
import type { Snippet } from './store.ts';

/** Streams the content of the first file. */
export async function streamFirstFile(
  { git }: Pick<Services, 'git'>,
  snippet: Snippet,
  client: RequestClient,
): Promise<StreamReply> {
  const repository = getRepositoryAt(git, snippet.storage, snippet.disk_path);
  const [path] = parseFilePaths(snippet) as [string];
  const tip = await findBranchHead(repository, SNIPPET_BRANCH);
  const entry = tip === null ? null : await findEntryAtPath(git, repository, tip, path);
  const object = entry === null ? null : await streamToClient(git, repository, entry.id, client);
  if (object === null) throw notFound('Snippet');
  const headers = {
    ...NO_STORE_HEADERS,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': formatContentDisposition('inline', path.slice(path.lastIndexOf('/') + 1)),
    'Content-Length': String(object.size),
  };
  return { headers, body: object.content };
}
