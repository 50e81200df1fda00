import { inProject } from '#http/access/project-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { created, list, noContent, ok, Reply, stream } from '#http/endpoint/responses.ts';
import { COMMIT_REFUSALS } from '#http/errors/error-messages.ts';
import { hash, optional, required } from '#http/parameters/declarations.ts';
import { boolean, integerIn, notBlank } from '#http/parameters/types.ts';
import { PUSH_TO_BRANCH } from '#repositories/branches/push-permission.ts';
import { isFailure } from '#runtime/failure.ts';
import { fileSomewhere, linesOfFile, oneFile, smallOrRareFile } from './access.ts';
import { blamedLines } from './blame.ts';
import { commitParams, FIELD_REFUSALS, writeParams } from './commit-fields.ts';
import { BODY_REFUSALS } from './deferred-body.ts';
import { BlameRange, RepositoryFile, WrittenFile } from './entities.ts';
import { fileHead, fileHeaders } from './file-headers.ts';
import { lfsReply } from './lfs-response.ts';
import { filePath } from './parameters.ts';
import { contentOf, rawReply } from './raw.ts';
import { deleteFile as deleteFileOn, writeFile } from './write.ts';

const SCOPES = ['read_repository'];
/** An absent one is missing and empty; that it has no valid value either is not said. */
const line = { ...notBlank(integerIn({ least: 1, most: Number.MAX_SAFE_INTEGER })), limitsValues: false };
const range = optional(hash({ start: required(line), end: required(line) }));

export const readFile = endpoint({
  get: '/projects/:id/repository/files/:file_path',
  summary: 'Read a file with its content in base64',
  access: smallOrRareFile,
  scopes: SCOPES,
  response: ok(RepositoryFile),
  read: async (_db, { project, file }, git) =>
    new Reply({ file, content: await contentOf(git, project, file) }, { headers: fileHeaders(file) }),
});

export const headFile = endpoint({
  head: '/projects/:id/repository/files/:file_path',
  summary: 'What is known of a file, as headers',
  access: oneFile,
  scopes: SCOPES,
  response: stream,
  handle: ({ file }) => fileHead(file),
});

export const blameFile = endpoint({
  get: '/projects/:id/repository/files/:file_path/blame',
  summary: 'Who wrote each line of a file',
  access: linesOfFile,
  scopes: SCOPES,
  params: { range },
  errors: { tooLong: [503, '503 Service Unavailable'] },
  response: list(BlameRange),
  async read(_db, { project, file, params }, git) {
    const lines = await blamedLines(git, project, file, params.range);
    return isFailure(lines) ? lines : new Reply(lines, { headers: fileHeaders(file) });
  },
});

export const headBlame = endpoint({
  head: '/projects/:id/repository/files/:file_path/blame',
  summary: 'What is known of a file, as headers; nothing is blamed, so no range is looked at',
  access: oneFile,
  scopes: SCOPES,
  response: stream,
  handle: ({ file }) => fileHead(file),
});

export const readRawFile = endpoint({
  get: '/projects/:id/repository/files/:file_path/raw',
  summary: 'The bytes of a file',
  access: fileSomewhere,
  scopes: SCOPES,
  allowJobToken: true,
  params: { lfs: optional(boolean, false) },
  errors: { lfsMissing: [404, '404 Not Found'] },
  response: stream,
  async handle({ project, file, params, request }, services) {
    const large = params.lfs ? await lfsReply(project, file, services) : null;
    return large ?? rawReply(services.git, project, file, request);
  },
});

/** What creating and changing a file have in common: the project is known before a byte of the body is looked at. */
const WRITING = {
  access: inProject('read_project').deferred(PUSH_TO_BRANCH),
  stageOrder: 'projectBeforeBody',
  body: 'late',
  params: { file_path: required(filePath) },
  fields: writeParams,
  errors: { ...BODY_REFUSALS, ...FIELD_REFUSALS, ...COMMIT_REFUSALS },
  records: ['pushed to branch', 'pushed new branch'],
} as const;

export const createFile = endpoint({
  post: '/projects/:id/repository/files/:file_path',
  summary: 'Create a file',
  ...WRITING,
  activity: [...WRITING.records, 'protected_branch_created'],
  response: created(WrittenFile),
  handle: (call, services) => writeFile(call, 'create', services),
});

export const updateFile = endpoint({
  put: '/projects/:id/repository/files/:file_path',
  summary: 'Change a file',
  ...WRITING,
  response: ok(WrittenFile),
  handle: (call, services) => writeFile(call, 'update', services),
});

export const deleteFile = endpoint({
  delete: '/projects/:id/repository/files/:file_path',
  summary: 'Delete a file',
  access: inProject('push_code').deferred(PUSH_TO_BRANCH),
  params: { file_path: required(filePath), ...commitParams },
  errors: {
    ...COMMIT_REFUSALS,
    notAllowed: [400, 'You are not allowed to push into this branch'],
    stale: [400, 'You are attempting to delete a file that has been previously updated.'],
  },
  activity: ['pushed to branch', 'pushed new branch'],
  response: noContent,
  handle({ openBranch, params }, services) {
    const fields = {
      branch: params.branch,
      message: params.commit_message,
      startBranch: params.start_branch || undefined,
      authorName: params.author_name || undefined,
      authorEmail: params.author_email || undefined,
      lastCommitId: params.last_commit_id || undefined,
    };
    return deleteFileOn({ openBranch, path: params.file_path }, fields, services);
  },
});
