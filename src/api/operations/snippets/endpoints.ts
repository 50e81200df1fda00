import { isAdministrator } from '#authentication/caller.ts';
import { VISIBILITIES } from '#authorization/visibility-levels.ts';
import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page, streamOf } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { exactlyOne, object, optional, required } from '#http/parameters/declarations.ts';
import { description, limitedText, pathText, string, title } from '#http/parameters/texts.ts';
import { arrayOf, dateTime, oneOf } from '#http/parameters/types.ts';
import { manageSnippetAccess, readSnippetAccess } from './access.ts';
import { deleteSnippet as remove } from './cleanup.ts';
import { createSnippet as create } from './create.ts';
import { Snippet } from './entities.ts';
import { streamFirstFile } from './raw.ts';
import { listReadableSnippets, listSnippetsOfAuthor } from './store.ts';

/** Maximum number of files of a snippet, as in the reference. */
const MAX_FILES = 10;
/** At most 5 MiB per file; our choice. */
const content = limitedText(5 * 1024 * 1024);
const file = object({ file_path: required(pathText), content: required(content) });

/** contract/operations.md §2.1 */
export const createSnippet = endpoint({
  post: '/snippets',
  summary: 'Create a snippet of the caller',
  access: signedIn(),
  params: {
    title: required(title),
    description: optional(description),
    visibility: optional(oneOf(...VISIBILITIES), 'private'),
    file_name: optional(pathText),
    content: optional(content),
    files: optional(arrayOf(file, MAX_FILES)),
  },
  rules: [exactlyOne('content', 'files')],
  errors: { invalid: INVALID },
  response: created(Snippet),
  handle({ caller, params }, services) {
    const { title, visibility, file_name } = params;
    const requestedFiles = params.files?.map((file) => ({ path: file.file_path, content: file.content }));
    const files = requestedFiles ?? [{ path: file_name || DEFAULT_FILE_NAME, content: params.content ?? '' }];
    return create(services, caller, { title, description: params.description ?? null, visibility, files });
  },
});

/** Name of a file without a name, as in the reference. */
const DEFAULT_FILE_NAME = 'snippetfile1.txt';

export const listSnippets = endpoint({
  get: '/snippets',
  summary: 'List the snippets of the caller',
  access: signedIn(),
  params: { created_after: optional(dateTime), created_before: optional(dateTime) },
  response: page(Snippet),
  read: (db, { caller, params, page }) => listSnippetsOfAuthor(db, caller.user.id, params, page),
});

export const listAllSnippets = endpoint({
  get: '/snippets/all',
  summary: 'List all snippets that the caller may read',
  access: signedIn(),
  params: { repository_storage: optional(string) },
  response: page(Snippet),
  read: (db, { caller, params, page }) =>
    listReadableSnippets(db, caller, isAdministrator(caller) ? params.repository_storage || null : null, page),
});

export const getSnippet = endpoint({
  get: '/snippets/:id',
  summary: 'Get a snippet',
  access: readSnippetAccess(),
  response: ok(Snippet),
  read: (_db, { snippet }) => snippet,
});

export const getSnippetContent = endpoint({
  get: '/snippets/:id/raw',
  summary: 'Get the content of the first snippet file',
  access: readSnippetAccess(),
  response: streamOf({ mediaTypes: ['text/plain'] }),
  handle: ({ snippet, request }, services) => streamFirstFile(services, snippet, request.client),
});

export const deleteSnippet = endpoint({
  delete: '/snippets/:id',
  summary: 'Delete a snippet',
  access: manageSnippetAccess(),
  response: noContent,
  write: (uow, { snippet }) => remove(uow, snippet.id),
});
