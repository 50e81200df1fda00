import { SNIPPET_BRANCH } from '#domain/snippets.ts';
import { repositoryAt } from '#git/git.ts';
import { branchTip } from '#git/refs/revision.ts';
import { entryAt } from '#git/trees/path-entries.ts';
import type { StreamReply } from '#http/endpoint/responses.ts';
import { notFound } from '#http/errors/http-error.ts';
import type { Services } from '#http/services.ts';
import { type Receiver, streamToClient } from '#rate-limits/stream-limits.ts';
import { contentDisposition, NOT_KEPT } from '#repositories/raw-content.ts';
import { filesOf } from './entities.ts';
import type { Snippet } from './store.ts';

/** The text of the first file. */
export async function firstFile({ git }: Pick<Services, 'git'>, snippet: Snippet, to: Receiver): Promise<StreamReply> {
  const repository = repositoryAt(git, snippet.storage, snippet.disk_path);
  const [path] = filesOf(snippet) as [string];
  const tip = await branchTip(repository, SNIPPET_BRANCH);
  const entry = tip === null ? null : await entryAt(git, repository, tip, path);
  const object = entry === null ? null : await streamToClient(git, repository, entry.id, to);
  if (object === null) throw notFound('Snippet');
  const headers = {
    ...NOT_KEPT,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Disposition': contentDisposition('inline', path.slice(path.lastIndexOf('/') + 1)),
    'Content-Length': String(object.size),
  };
  return { headers, body: object.content };
}
