import type { Project } from '#domain/namespaces/projects.ts';
import { blame, type LineRange } from '#git/commits/blame.ts';
import type { Git } from '#git/git.ts';
import { type Commit, readCommits } from '#git/objects/object-reader.ts';
import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, Reply, type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { COMMIT_ERRORS } from '#http/errors/error-messages.ts';
import { describe, object, optional, required } from '#http/parameters/declarations.ts';
import { boolean, integerIn, notBlank } from '#http/parameters/types.ts';
import type { Services } from '#http/services.ts';
import { readContentForJson } from '#rate-limits/stream-limits.ts';
import { PUSH_TO_BRANCH } from '#repositories/branches/push-permission.ts';
import { buildRawHeaders, formatContentDisposition, RAW_MEDIA_TYPES } from '#repositories/raw-content.ts';
import { getRepository, type LocatedRepository } from '#repositories/repository.ts';
import type { RequestClient } from '#runtime/concurrency-limiter.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { truncateToBytes } from '#text/trim.ts';
import { blameAccess, fileAccess, fileContentAccess, filePathType, rawFileAccess } from './access.ts';
import { openFileContent, openLfsFile } from './content.ts';
import { BODY_ERRORS } from './deferred-body.ts';
import { BlameRange, type BlameRow, RepositoryFile, WrittenFile } from './entities.ts';
import type { FileAtRevision } from './get.ts';
import { deleteFile as commitFileDeletion, commitParams, FIELD_ERRORS, writeFile, writeParams } from './write.ts';

/** The names of the headers with the metadata of a file, without their prefixes. */
const HEADER_NAMES = [
  'Blob-Id',
  'Commit-Id',
  'Content-Sha256',
  'Encoding',
  'Execute-Filemode',
  'File-Name',
  'File-Path',
  'Last-Commit-Id',
  'Ref',
  'Size',
] as const;

/** The names of the headers with both prefixes, concatenated once. */
const PREFIXED_HEADER_NAMES = HEADER_NAMES.map((name) => [name, `X-Service-${name}`, `X-Gitlab-${name}`] as const);
const GITLAB_FILE_HEADER_NAMES = PREFIXED_HEADER_NAMES.map(([, , gitlabName]) => gitlabName);

/**
 * Returns the headers with the metadata of a file. Each is sent twice: with the prefix `X-Service-` of the specification, and with
 * `X-Gitlab-`, which clients read (contract/repository.md §1 HEAD).
 */
function createFileHeaders(file: FileAtRevision): Record<string, string> {
  const values: Readonly<Record<(typeof HEADER_NAMES)[number], string>> = {
    'Blob-Id': file.blobId,
    'Commit-Id': file.commitId,
    'Content-Sha256': file.sha256,
    Encoding: 'base64',
    'Execute-Filemode': String(file.isExecutable),
    'File-Name': encodeHeaderText(file.name),
    'File-Path': encodeHeaderText(file.path),
    'Last-Commit-Id': file.lastCommitId,
    Ref: encodeHeaderText(file.ref),
    Size: String(file.size),
  };
  const headers: Record<string, string> = {};
  for (const [name, serviceName, gitlabName] of PREFIXED_HEADER_NAMES) {
    headers[serviceName] = values[name];
    headers[gitlabName] = values[name];
  }
  return headers;
}

/**
 * The headers that GET sends too. Content-Length and ETag are left out, because they depend on the content, which HEAD does not
 * read.
 */
const JSON_HEADERS = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=0, private, must-revalidate' };

/** Returns the headers of a file without its content. */
function createFileHeadReply(file: FileAtRevision): StreamReply {
  return { headers: { ...createFileHeaders(file), ...JSON_HEADERS } };
}

/** Encodes a text for a header: UTF-8 bytes as one character each, control characters as escapes. */
function encodeHeaderText(text: string): string {
  return Buffer.from(text.toWellFormed(), 'utf8')
    .toString('latin1')
    .replace(/[\u0000-\u001f\u007f]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}

/** Returns the raw content of a file. A small file is read completely, a large one streamed as fast as the client reads. */
async function createRawFileReply(
  git: Git,
  project: LocatedRepository,
  file: FileAtRevision,
  client: RequestClient,
): Promise<StreamReply> {
  const { head, body } = await openFileContent(git, project, file, client);
  const headers = {
    ...createFileHeaders(file),
    ...buildRawHeaders(file.name, head, file.size),
    'Content-Length': String(file.size),
  };
  return { headers, body };
}

/** Returns the commits of these lines, or of all lines. A submodule has no lines. Fails with `tooLong` if git takes too long or the file is too large. */
async function loadBlame(
  git: Git,
  project: LocatedRepository,
  { commitId, path, isSubmodule: submodule }: FileAtRevision,
  range: LineRange | null | undefined,
): Promise<BlameRow[] | Failure<'tooLong'>> {
  if (submodule) return [];
  const repository = getRepository(git, project);
  const blameResult = await blame(git, repository, commitId, path, range ?? undefined);
  if ('rejected' in blameResult) return fail('tooLong');
  const commits = await readCommits(git, repository, [...new Set(blameResult.groups.map(({ commit }) => commit))]);
  // Messages are truncated, because each group repeats its commit, and one commit may own every other line.
  const maxBytes = Math.max(MIN_MESSAGE_BYTES, Math.floor(MAX_MESSAGES_BYTES / blameResult.groups.length));
  const truncate = (commit: Commit) => ({ ...commit, message: truncateToBytes(commit.message, maxBytes) });
  const commitsById = new Map(commits.map((commit) => [commit?.id, commit && truncate(commit)]));
  return blameResult.groups.map(({ commit, lines }) => ({ commit: commitsById.get(commit)!, lines }));
}

/** Maximum total size of all messages in a response. */
const MAX_MESSAGES_BYTES = 32 * 1024 * 1024;
/** Size up to which no message is truncated. */
const MIN_MESSAGE_BYTES = 1024;

const SCOPES = ['read_repository'];
/** The type of a line number. An absent number is reported as missing and as empty, but not also as an invalid value. */
const lineNumber = { ...notBlank(integerIn({ min: 1, max: Number.MAX_SAFE_INTEGER })), limitsValues: false };
const range = describe(
  optional(object({ start: required(lineNumber), end: required(lineNumber) })),
  'First and last line; absent: the whole file.',
);

export const getFile = endpoint({
  get: '/projects/:id/repository/files/:file_path',
  summary: 'Get a file with base64 content',
  description:
    'Returns the metadata of a file and its content, encoded in base64. The metadata is also in the headers ' +
    '`X-Gitlab-*`. For a file in LFS, the content is the pointer. Reads of files over 10 MiB are rate-limited for ' +
    'each project; `.../raw` is not.',
  access: fileContentAccess,
  scopes: SCOPES,
  response: ok(RepositoryFile),
  read: async (_db, { project, file }, git) =>
    new Reply(
      {
        file,
        content: file.isSubmodule
          ? Buffer.alloc(0)
          : await readContentForJson(git, getRepository(git, project), file.blobId),
      },
      { headers: createFileHeaders(file) },
    ),
});

export const getFileHeaders = endpoint({
  head: '/projects/:id/repository/files/:file_path',
  summary: 'Get file metadata as headers',
  description:
    'Returns the metadata of a file in the headers `X-Gitlab-*`, without its content. Names are sent as UTF-8.',
  access: fileAccess,
  scopes: SCOPES,
  response: streamWith({ mediaTypes: ['application/json'], headers: GITLAB_FILE_HEADER_NAMES }),
  handle: ({ file }) => createFileHeadReply(file),
});

export const getFileBlame = endpoint({
  get: '/projects/:id/repository/files/:file_path/blame',
  summary: 'Get the blame of a file',
  description:
    'Returns the lines of the file, in groups of adjacent lines with the commit that changed them last. A range that ' +
    'begins after the last line gives an empty list.',
  access: blameAccess,
  scopes: SCOPES,
  params: { range },
  errors: { tooLong: [503, '503 Service Unavailable'] },
  response: list(BlameRange),
  async read(_db, { project, file, params }, git) {
    const lines = await loadBlame(git, project, file, params.range);
    return isFailure(lines) ? lines : new Reply(lines, { headers: createFileHeaders(file) });
  },
});

export const getBlameHeaders = endpoint({
  head: '/projects/:id/repository/files/:file_path/blame',
  summary: 'Get file metadata as headers without blame',
  description:
    'Returns the metadata of a file in the headers `X-Gitlab-*`. The blame is not computed, and `range` is ignored.',
  access: fileAccess,
  scopes: SCOPES,
  response: streamWith({ mediaTypes: ['application/json'], headers: GITLAB_FILE_HEADER_NAMES }),
  handle: ({ file }) => createFileHeadReply(file),
});

export const getRawFile = endpoint({
  get: '/projects/:id/repository/files/:file_path/raw',
  summary: 'Get the raw content of a file',
  description:
    'Returns the bytes of a file, with its metadata in the headers `X-Gitlab-*`. Images have their media type, and ' +
    'text is plain text, HTML included. All other content is an attachment.',
  access: rawFileAccess,
  scopes: SCOPES,
  allowJobToken: true,
  params: { lfs: describe(optional(boolean, false), 'Returns the file that an LFS pointer names, not the pointer.') },
  errors: { lfsMissing: [404, '404 Not Found'] },
  response: streamWith({ mediaTypes: RAW_MEDIA_TYPES, headers: GITLAB_FILE_HEADER_NAMES }),
  async handle({ project, file, params, request }, services) {
    const lfsReply = params.lfs ? await createLfsFileReply(project, file, services) : null;
    return lfsReply ?? createRawFileReply(services.git, project, file, request.client);
  },
});

/** The shared definition of creating and updating a file. The project is loaded before the body is read. */
const writeDefinition = {
  access: inProject('read_project').deferred(PUSH_TO_BRANCH),
  stageOrder: 'projectBeforeBody',
  body: 'deferred',
  params: { file_path: required(filePathType) },
  fields: writeParams,
  errors: { ...BODY_ERRORS, ...FIELD_ERRORS, ...COMMIT_ERRORS },
  activity: ['pushed to branch', 'pushed new branch'],
} as const;

export const createFile = endpoint({
  post: '/projects/:id/repository/files/:file_path',
  summary: 'Create a file',
  description:
    'Adds a commit to `branch` that creates the file. With `start_branch`, `branch` is created at it first; ' +
    'otherwise it must exist, unless the repository is empty. The call fails if the file exists or if the branch ' +
    'moves meanwhile. The caller is the committer, and the author unless one is sent.',
  ...writeDefinition,
  activity: [...writeDefinition.activity, 'protected_branch_created'],
  response: created(WrittenFile),
  handle: (call, services) => writeFile(call, 'create', services),
});

export const updateFile = endpoint({
  put: '/projects/:id/repository/files/:file_path',
  summary: 'Update a file',
  description:
    'Adds a commit to `branch` that replaces the content of the file. With `start_branch`, `branch` is created at it ' +
    'first. The call fails if the file does not exist, if nothing would change, or if the branch moves meanwhile.',
  ...writeDefinition,
  response: ok(WrittenFile),
  handle: (call, services) => writeFile(call, 'update', services),
});

export const deleteFile = endpoint({
  delete: '/projects/:id/repository/files/:file_path',
  summary: 'Delete a file',
  description:
    'Adds a commit to `branch` that deletes the file. With `start_branch`, `branch` is created at it first. The call ' +
    'fails if the file does not exist or if the branch moves meanwhile.',
  access: inProject('push_code').deferred(PUSH_TO_BRANCH),
  params: { file_path: required(filePathType), ...commitParams },
  errors: {
    ...COMMIT_ERRORS,
    notAllowed: [400, 'You are not allowed to push into this branch'],
    stale: [400, 'You are attempting to delete a file that has been previously updated.'],
  },
  activity: ['pushed to branch', 'pushed new branch'],
  response: noContent,
  handle({ requirePushableBranch, params }, services) {
    const fields = {
      branch: params.branch,
      message: params.commit_message,
      startBranch: params.start_branch || undefined,
      authorName: params.author_name || undefined,
      authorEmail: params.author_email || undefined,
      lastCommitId: params.last_commit_id || undefined,
    };
    return commitFileDeletion({ requirePushableBranch, path: params.file_path }, fields, services);
  },
});

/** Returns the LFS object that the file names, for `lfs=true`; null if the file is not an LFS pointer or LFS is off. */
async function createLfsFileReply(
  project: Project,
  file: FileAtRevision,
  services: Pick<Services, 'database' | 'git' | 'blobs'>,
): Promise<StreamReply | Failure<'lfsMissing'> | null> {
  const object = await openLfsFile(services, project, file);
  if (object === null || isFailure(object)) return object;
  // As in GitLab, which stores the files under this name: the first four digits name two directories.
  const name = object.oid.slice(4);
  const headers = {
    ...createFileHeaders(file),
    ...buildRawHeaders(name, new Uint8Array(), 0),
    'Content-Type': 'application/octet-stream',
    'Content-Disposition': formatContentDisposition('attachment', name),
    'Content-Length': String(object.size),
  };
  return { headers, body: object.stream };
}
