import { VISIBILITIES } from '#authorization/visibility.ts';
import { parseFilePaths, type Snippet as SnippetRow } from '#domain/snippets.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { findEntryAtPath } from '#git/trees/path-entries.ts';
import { signedIn } from '#http/access/access.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, noContent, ok, page, type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { NOT_FOUND, REPOSITORY_READ_ONLY } from '#http/errors/error-messages.ts';
import { notFound } from '#http/errors/http-error.ts';
import {
  atLeastOne,
  describe,
  exactlyOne,
  mutuallyExclusive,
  object,
  optional,
  type ParameterRule,
  type ParameterValues,
  required,
} from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { domainValidatedText, longText, pathText, refName, sizedText, string } from '#http/parameters/texts.ts';
import { arrayOf, dateTime, notBlank, oneOf } from '#http/parameters/types.ts';
import { MEBIBYTE } from '#http/request/body.ts';
import type { Services } from '#http/services.ts';
import { openStreamForClient } from '#rate-limits/stream-limits.ts';
import { formatContentDisposition, NO_STORE_HEADERS } from '#repositories/raw-content.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { forSnippetKinds, PROJECT_SNIPPET, SNIPPET } from './access.ts';
import { deleteSnippet as deleteSnippetAndRepository } from './cleanup.ts';
import { createSnippet as createSnippetWithFiles } from './create.ts';
import { Snippet } from './entities.ts';
import { WRITE_ERRORS } from './files.ts';
import {
  listReadableSnippets,
  listSnippetsOfAuthor,
  listSnippetsOfProject,
  listPublicSnippets as selectPublicSnippets,
} from './store.ts';
import { updateSnippet as updateSnippetAndFiles } from './update.ts';

/**
 * The parameter type of the path of a file in a snippet. It is relative, without `..`, and has no line breaks, because headers contain
 * it.
 */
const filePathType: ParameterType<string> = {
  ...pathText,
  read(raw, name, problems) {
    const path = pathText.read(raw, name, problems);
    return path === null || isFilePath(path) ? path : problems.add(`${name} should be a valid file path`);
  },
};

function isFilePath(path: string): boolean {
  return !path.startsWith('/') && !/[\r\n]/.test(path) && !path.split(/[/\\]/).includes('..');
}

// Snippets of users (contract/operations.md §2.1) and of projects (contract/everyday-more.md §7.1).

/** The type of the content of a file: at most 10 MiB, like a whole request body. The setting `snippet_size_limit` may limit it further. */
const fileContent = sizedText(10 * MEBIBYTE);
const content = notBlank(fileContent);
const newFile = object({ file_path: required(notBlank(filePathType)), content: required(content) });
const visibility = oneOf(...VISIBILITIES);

const creationParams = {
  title: required(notBlank(domainValidatedText(255))),
  description: optional(longText),
  files: describe(optional(arrayOf(newFile)), 'Files with `file_path` and `content`; excludes `content`.'),
  content: describe(optional(content), 'Content of the only file; excludes `files`.'),
  file_name: describe(optional(pathText), 'Path of the only file.'),
};

/** Converts the parameters: instead of `files`, one file may be sent as `content`, with an optional `file_name`. */
function toCreationInput({
  title,
  description = null,
  files,
  content,
  file_name,
}: ParameterValues<typeof creationParams>) {
  const creations = files ?? [{ file_path: file_name, content }];
  return { title, description, files: creations.map((file) => ({ action: 'create' as const, ...file })) };
}

export const createSnippet = endpoint({
  post: '/snippets',
  summary: 'Create a snippet of the caller',
  description:
    'Creates a personal snippet with one or several files, in a git repository of its own. The content of a single ' +
    'file can be sent as `content`. A file without a name is called `snippetfile1.txt`.',
  access: signedIn(),
  params: { ...creationParams, visibility: optional(visibility, 'private') },
  rules: [exactlyOne('files', 'content')],
  errors: WRITE_ERRORS,
  response: created(Snippet),
  handle: ({ caller, params }, services) =>
    createSnippetWithFiles(services, caller, {
      ...toCreationInput(params),
      visibility: params.visibility,
      project: null,
    }),
});

/** Requires the name of a file that is sent as `content`. */
const requireNameOfContent: ParameterRule = (rawParams, problems) => {
  if (rawParams.content != null && rawParams.file_name === undefined) problems.add('file_name is missing');
};

export const createProjectSnippet = endpoint({
  post: '/projects/:id/snippets',
  summary: 'Create a snippet of a project',
  description:
    'Creates a snippet of the project with one or several files, in a git repository of its own. The content of a ' +
    'single file can be sent as `content`, together with `file_name`.',
  access: inProject('create_snippet'),
  params: { ...creationParams, visibility: required(visibility) },
  rules: [exactlyOne('files', 'content'), requireNameOfContent],
  errors: WRITE_ERRORS,
  response: created(Snippet),
  handle: ({ caller, project, params }, services) =>
    createSnippetWithFiles(services, caller, { ...toCreationInput(params), visibility: params.visibility, project }),
});

const periodParams = { created_after: optional(dateTime), created_before: optional(dateTime) };

export const listSnippets = endpoint({
  get: '/snippets',
  summary: 'List the snippets of the caller',
  description: 'Returns the personal and project snippets that the caller created, the newest first.',
  access: signedIn(),
  params: periodParams,
  response: page(Snippet),
  read: (db, { caller, params, page }) => listSnippetsOfAuthor(db, caller, caller.user.id, params, page),
});

export const listPublicSnippets = endpoint({
  get: '/snippets/public',
  summary: 'List public personal snippets',
  description: 'Returns the public snippets that belong to no project, the newest first.',
  access: signedIn(),
  params: periodParams,
  response: page(Snippet),
  read: (db, { params, page }) => selectPublicSnippets(db, params, page),
});

export const listAllSnippets = endpoint({
  get: '/snippets/all',
  summary: 'List all snippets that the caller may read',
  description: 'Returns all personal and project snippets that the caller may read, the newest first.',
  access: signedIn(),
  params: {
    ...periodParams,
    repository_storage: describe(
      optional(string),
      'Only snippets on this storage; ignored unless an administrator calls.',
    ),
  },
  response: page(Snippet),
  read: (db, { caller, params, page }) => listReadableSnippets(db, caller, params, page),
});

export const listProjectSnippets = endpoint({
  get: '/projects/:id/snippets',
  summary: 'List the snippets of a project',
  description: 'Returns the snippets of the project that the caller may read, the newest first.',
  access: inProject('read_snippet'),
  response: page(Snippet),
  read: (db, { caller, project, page }) => listSnippetsOfProject(db, caller, project, page),
});

export const [getSnippet, getProjectSnippet] = forSnippetKinds((kind) =>
  endpoint({
    get: kind.path,
    summary: `Get a ${kind.noun}`,
    description:
      'Returns the snippet with the paths of its files, without their contents. Snippets that the caller may not ' +
      'read answer 404.',
    access: kind.readAccess('get'),
    response: ok(Snippet),
    read: (_db, { snippet }) => snippet,
  }),
);

const snippetFileAction = object({
  action: required(oneOf('create', 'update', 'delete', 'move')),
  file_path: describe(optional(filePathType), 'Path of the file; required except for `create`.'),
  previous_path: describe(optional(filePathType), 'For `move`: the present path.'),
  content: describe(optional(fileContent), 'Required for `create` and `update`.'),
});

export const [updateSnippet, updateProjectSnippet] = forSnippetKinds((kind) =>
  endpoint({
    put: kind.path,
    summary: `Update a ${kind.noun}`,
    description:
      'Changes the sent values; absent ones stay unchanged. Changed files become one commit. A snippet with several ' +
      'files can only be changed by `files`, and it always has at least one file. The author may update a snippet, ' +
      'and in a project also Maintainers.',
    access: kind.updateAccess(),
    params: {
      title: optional(notBlank(domainValidatedText(255))),
      description: optional(longText),
      visibility: optional(visibility),
      files: describe(optional(arrayOf(snippetFileAction)), 'Changes of files; excludes `content` and `file_name`.'),
      content: describe(optional(content), 'New content of the only file.'),
      file_name: describe(optional(pathText), 'New path of the only file.'),
    },
    rules: [
      mutuallyExclusive('files', 'content'),
      mutuallyExclusive('files', 'file_name'),
      atLeastOne('content', 'description', 'files', 'file_name', 'title', 'visibility'),
    ],
    errors: { ...WRITE_ERRORS, readOnly: REPOSITORY_READ_ONLY, notFound: NOT_FOUND },
    response: ok(Snippet),
    handle: ({ snippet, caller, params }, services) => updateSnippetAndFiles(services, caller, snippet, params),
  }),
);

export const [getSnippetContent, getProjectSnippetContent] = forSnippetKinds((kind) =>
  endpoint({
    get: `${kind.path}/raw`,
    summary: `Get the content of the first ${kind.noun} file`,
    description: 'Returns the content of the first file as plain text.',
    access: kind.readAccess(),
    response: streamWith({ mediaTypes: ['text/plain'] }),
    handle: ({ snippet, request }, services) => streamFirstFile(services, snippet, request.client),
  }),
);

export const [getSnippetFile, getProjectSnippetFile] = forSnippetKinds((kind) =>
  endpoint({
    get: `${kind.path}/files/:ref/:file_path/raw`,
    summary: `Get the content of a ${kind.noun} file`,
    description:
      'Returns the content of a file at a branch, tag or commit of the snippet as plain text. An unknown ref or file ' +
      'answers 404.',
    access: kind.readAccess(),
    params: { ref: required(refName), file_path: required(filePathType) },
    response: streamWith({ mediaTypes: ['text/plain'] }),
    handle: ({ snippet, params: { ref, file_path: path }, request }, services) =>
      streamFile(services, snippet, { ref, path }, request.client),
  }),
);

export const deleteSnippet = endpoint({
  delete: SNIPPET.path,
  summary: 'Delete a snippet',
  description:
    'Deletes the snippet with its notes. A background job deletes its repository. The author may delete a snippet, and ' +
    'in a project also Maintainers.',
  access: SNIPPET.deleteAccess(),
  response: noContent,
  write: (uow, { snippet }) => deleteSnippetAndRepository(uow, snippet.id),
});

export const deleteProjectSnippet = endpoint({
  delete: PROJECT_SNIPPET.path,
  summary: 'Delete a project snippet',
  description:
    'Deletes the snippet with its notes. A background job deletes its repository. The author may delete a snippet, and ' +
    'in a project also Maintainers.',
  access: PROJECT_SNIPPET.deleteAccess(),
  lastModified: ({ snippet }) => snippet.updated_at,
  response: noContent,
  write: (uow, { snippet }) => deleteSnippetAndRepository(uow, snippet.id),
});

/** Streams the content of the first file. Throws 404 if a push has just removed it. */
function streamFirstFile(
  services: Pick<Services, 'git'>,
  snippet: SnippetRow,
  client: RequestClient,
): Promise<StreamReply> {
  const [path = ''] = parseFilePaths(snippet);
  return streamFile(services, snippet, { ref: snippet.default_branch, path }, client);
}

/** Streams the content of a file at a ref as text. Throws 404 for an unknown ref or file. */
async function streamFile(
  { git }: Pick<Services, 'git'>,
  snippet: SnippetRow,
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
