import { isAdministrator } from '#authentication/caller.ts';
import { VISIBILITIES } from '#authorization/visibility-levels.ts';
import { signedIn } from '#http/access/access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page, stream } from '#http/endpoint/responses.ts';
import { INVALID } from '#http/errors/error-messages.ts';
import { exactlyOne, object, optional, required } from '#http/parameters/declarations.ts';
import { description, limitedText, pathText, string, title } from '#http/parameters/texts.ts';
import { arrayOf, oneOf } from '#http/parameters/types.ts';
import { managingSnippet, readingSnippet } from './access.ts';
import { deleteSnippet as remove } from './cleanup.ts';
import { createSnippet as create } from './create.ts';
import { Snippet } from './entities.ts';
import { firstFile } from './raw.ts';
import { listSnippets } from './store.ts';

/** Chosen: so many files a snippet has at most, as in the reference. */
const MOST_FILES = 10;
/** Chosen: bytes of a file. */
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
    files: optional(arrayOf(file, MOST_FILES)),
  },
  rules: [exactlyOne('content', 'files')],
  errors: { invalid: INVALID },
  response: created(Snippet),
  handle({ caller, params }, services) {
    const { title, visibility, file_name } = params;
    const sent = params.files?.map((each) => ({ path: each.file_path, content: each.content }));
    const files = sent ?? [{ path: file_name || UNNAMED, content: params.content ?? '' }];
    return create(services, caller, { title, description: params.description ?? null, visibility, files });
  },
});

/** As the reference calls a file without a name. */
const UNNAMED = 'snippetfile1.txt';

export const listAllSnippets = endpoint({
  get: '/snippets/all',
  summary: 'List all snippets that the caller may read',
  access: signedIn(),
  params: { repository_storage: optional(string) },
  response: page(Snippet),
  read: (db, { caller, params, page }) =>
    listSnippets(db, caller, isAdministrator(caller) ? params.repository_storage || null : null, page),
});

export const getSnippet = endpoint({
  get: '/snippets/:id',
  summary: 'Get a snippet',
  access: readingSnippet(),
  response: ok(Snippet),
  read: (_db, { snippet }) => snippet,
});

export const getSnippetContent = endpoint({
  get: '/snippets/:id/raw',
  summary: 'Get the content of the first snippet file',
  access: readingSnippet(),
  response: stream,
  handle: ({ snippet, request }, services) => firstFile(services, snippet, request),
});

export const deleteSnippet = endpoint({
  delete: '/snippets/:id',
  summary: 'Delete a snippet',
  access: managingSnippet(),
  response: noContent,
  write: (uow, { snippet }) => remove(uow, snippet.id),
});
