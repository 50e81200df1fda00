import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, Reply, streamWith } from '#http/endpoint/responses.ts';
import { COMMIT_ERRORS } from '#http/errors/error-messages.ts';
import { object, optional, required } from '#http/parameters/declarations.ts';
import { boolean, integerIn, notBlank } from '#http/parameters/types.ts';
import { PUSH_TO_BRANCH } from '#repositories/branches/push-permission.ts';
import { RAW_MEDIA_TYPES } from '#repositories/raw-content.ts';
import { isFailure } from '#runtime/failure.ts';
import { blameAccess, fileAccess, fileContentAccess, rawFileAccess } from './access.ts';
import { loadBlame } from './blame.ts';
import { commitParams, FIELD_ERRORS, writeParams } from './commit-fields.ts';
import { BODY_ERRORS } from './deferred-body.ts';
import { BlameRange, RepositoryFile, WrittenFile } from './entities.ts';
import { createFileHeaders, createFileHeadReply, GITLAB_FILE_HEADER_NAMES } from './file-headers.ts';
import { createLfsFileReply } from './lfs-response.ts';
import { filePath } from './parameters.ts';
import { createRawFileReply, readFileContent } from './raw.ts';
import { deleteFile as deleteFileOn, writeFile } from './write.ts';

const SCOPES = ['read_repository'];
/** The error for an absent line number says missing and empty, without the list of valid values. */
const lineNumber = { ...notBlank(integerIn({ min: 1, max: Number.MAX_SAFE_INTEGER })), limitsValues: false };
const range = optional(object({ start: required(lineNumber), end: required(lineNumber) }));

export const getFile = endpoint({
  get: '/projects/:id/repository/files/:file_path',
  summary: 'Get a file with base64 content',
  access: fileContentAccess,
  scopes: SCOPES,
  response: ok(RepositoryFile),
  read: async (_db, { project, file }, git) =>
    new Reply({ file, content: await readFileContent(git, project, file) }, { headers: createFileHeaders(file) }),
});

export const getFileHeaders = endpoint({
  head: '/projects/:id/repository/files/:file_path',
  summary: 'Get file metadata as headers',
  access: fileAccess,
  scopes: SCOPES,
  response: streamWith({ mediaTypes: ['application/json'], headers: GITLAB_FILE_HEADER_NAMES }),
  handle: ({ file }) => createFileHeadReply(file),
});

export const getFileBlame = endpoint({
  get: '/projects/:id/repository/files/:file_path/blame',
  summary: 'Get the blame of a file',
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
  access: fileAccess,
  scopes: SCOPES,
  response: streamWith({ mediaTypes: ['application/json'], headers: GITLAB_FILE_HEADER_NAMES }),
  handle: ({ file }) => createFileHeadReply(file),
});

export const getRawFile = endpoint({
  get: '/projects/:id/repository/files/:file_path/raw',
  summary: 'Get the raw content of a file',
  access: rawFileAccess,
  scopes: SCOPES,
  allowJobToken: true,
  params: { lfs: optional(boolean, false) },
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
  params: { file_path: required(filePath) },
  fields: writeParams,
  errors: { ...BODY_ERRORS, ...FIELD_ERRORS, ...COMMIT_ERRORS },
  activity: ['pushed to branch', 'pushed new branch'],
} as const;

export const createFile = endpoint({
  post: '/projects/:id/repository/files/:file_path',
  summary: 'Create a file',
  ...writeDefinition,
  activity: [...writeDefinition.activity, 'protected_branch_created'],
  response: created(WrittenFile),
  handle: (call, services) => writeFile(call, 'create', services),
});

export const updateFile = endpoint({
  put: '/projects/:id/repository/files/:file_path',
  summary: 'Update a file',
  ...writeDefinition,
  response: ok(WrittenFile),
  handle: (call, services) => writeFile(call, 'update', services),
});

export const deleteFile = endpoint({
  delete: '/projects/:id/repository/files/:file_path',
  summary: 'Delete a file',
  access: inProject('push_code').deferred(PUSH_TO_BRANCH),
  params: { file_path: required(filePath), ...commitParams },
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
    return deleteFileOn({ requirePushableBranch, path: params.file_path }, fields, services);
  },
});
