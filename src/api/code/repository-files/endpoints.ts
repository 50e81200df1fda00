import type { Project } from '../../../access/projects.ts';
import { blame, type LineRange } from '../../../git/blame.ts';
import { readCommits, readObject } from '../../../git/objects.ts';
import { inProject, inPublicProject } from '../../../http/access/project-access.ts';
import { created, entity, list, nothing, Reply, stream } from '../../../http/endpoint/answers.ts';
import { endpoint } from '../../../http/endpoint/endpoint.ts';
import type { Rooms } from '../../../http/endpoint/rooms.ts';
import { hash, optional, required } from '../../../http/parameters/declarations.ts';
import { boolean, integerIn, notBlank, text } from '../../../http/parameters/types.ts';
import { blobTooLarge, jsonBlobLimit, largeBlobLimit } from '../../../limits/large-blobs.ts';
import { isRefused, refused } from '../../../refused.ts';
import { COMMIT_REFUSALS } from '../../../repositories/commit-to-branch.ts';
import { mayCommitTo } from '../../../repositories/push-permission.ts';
import { repositoryOf } from '../../../repositories/repository.ts';
import { BODY_REFUSALS } from './body.ts';
import { BlameRange, blameEntities, fileEntity, RepositoryFile, WrittenFile } from './entities.ts';
import { FIELD_REFUSALS } from './fields.ts';
import { fileHeaders } from './headers.ts';
import { lfsReply } from './lfs-reply.ts';
import { locateFile } from './locate.ts';
import { filePath } from './parameters.ts';
import { rawReply } from './raw.ts';
import { receiveWrite } from './receive-write.ts';
import { writeFile } from './write.ts';

const scopes = ['read_repository'];
const path = required(filePath);
const ref = required(notBlank(text));
/** An absent one is missing and empty; that it has no valid value either is not said. */
const line = { ...notBlank(integerIn({ least: 1, most: Number.MAX_SAFE_INTEGER })), limitsValues: false };
const range = optional(hash({ start: required(line), end: required(line) }));
const rangeReversed = [400, 'range[start] must be less than or equal to range[end]'] as const;
const NOT_FOUND = { commit: [404, '404 Commit Not Found'], file: [404, '404 File Not Found'] } as const;
const WRITE_REFUSALS = {
  ...BODY_REFUSALS,
  ...FIELD_REFUSALS,
  notAllowed: [403, '403 Forbidden - You are not allowed to push into this branch'],
  ...COMMIT_REFUSALS,
} as const;

function isReversed(range: LineRange | null | undefined): boolean {
  return range ? range.start > range.end : false;
}

/** What the JSON that GET answers says of itself; nothing is read that its length and its tag would need. */
const LIKE_GET = { 'Content-Type': 'application/json', 'Cache-Control': 'max-age=0, private, must-revalidate' };

/** Both HEADs: what is known of the file, without its content. */
async function fileHead({ git, project, params }: Pick<Rooms, 'git'> & { project: Project; params: FileParameters }) {
  const file = await locateFile(git, project, params);
  return isRefused(file) ? file : { headers: { ...fileHeaders(file), ...LIKE_GET } };
}

interface FileParameters {
  readonly file_path: string;
  readonly ref: string;
}

export const readFile = endpoint({
  get: '/projects/:id/repository/files/:file_path',
  summary: 'Read a file with its content in base64',
  access: inPublicProject('read_code'),
  scopes,
  params: { file_path: path, ref },
  remembered: true,
  refuses: { ...NOT_FOUND, blobTooLarge: blobTooLarge('/projects/:id/repository/files/:file_path/raw') },
  answer: entity(RepositoryFile),
  async handle({ git, database, project, params }) {
    const file = await locateFile(git, project, params);
    if (isRefused(file)) return file;
    const limited = await largeBlobLimit(database, project.id, file.size);
    if (limited !== null) return limited;
    const read = file.submodule ? null : await readObject(git, repositoryOf(git, project), file.blobId, jsonBlobLimit);
    return new Reply(fileEntity(file, read?.content ?? Buffer.alloc(0)), { headers: fileHeaders(file) });
  },
});

export const headFile = endpoint({
  head: '/projects/:id/repository/files/:file_path',
  summary: 'What is known of a file, as headers',
  access: inPublicProject('read_code'),
  scopes,
  params: { file_path: path, ref },
  refuses: NOT_FOUND,
  answer: stream,
  handle: fileHead,
});

export const blameFile = endpoint({
  get: '/projects/:id/repository/files/:file_path/blame',
  summary: 'Who wrote each line of a file',
  access: inPublicProject('read_code'),
  scopes,
  params: { file_path: path, ref, range },
  refuses: {
    ...NOT_FOUND,
    rangeReversed,
    tooLong: [503, '503 Service Unavailable'],
  },
  answer: list(BlameRange),
  async handle({ git, project, params }) {
    const lines = params.range ?? undefined;
    if (isReversed(lines)) return refused('rangeReversed');
    const file = await locateFile(git, project, params);
    if (isRefused(file)) return file;
    const repository = repositoryOf(git, project);
    const found = file.submodule ? { groups: [] } : await blame(git, repository, file.commitId, file.path, lines);
    if ('refused' in found) return refused('tooLong');
    const ids = [...new Set(found.groups.map(({ commit }) => commit))];
    const commits = await readCommits(git, repository, ids);
    const known = new Map(commits.flatMap((commit) => (commit === null ? [] : [[commit.id, commit] as const])));
    return new Reply(blameEntities(found.groups, known), { headers: fileHeaders(file) });
  },
});

export const headBlame = endpoint({
  head: '/projects/:id/repository/files/:file_path/blame',
  summary: 'What is known of a file, as headers; nothing is blamed',
  access: inPublicProject('read_code'),
  scopes,
  params: { file_path: path, ref, range },
  refuses: { ...NOT_FOUND, rangeReversed },
  answer: stream,
  handle: (call) => (isReversed(call.params.range) ? refused('rangeReversed') : fileHead(call)),
});

export const readRawFile = endpoint({
  get: '/projects/:id/repository/files/:file_path/raw',
  summary: 'The bytes of a file',
  access: inPublicProject('read_code'),
  scopes,
  jobToken: true,
  params: { file_path: path, ref: optional(notBlank(text), 'HEAD'), lfs: optional(boolean, false) },
  refuses: { ...NOT_FOUND, lfsMissing: [404, '404 Not Found'] },
  answer: stream,
  async handle(call) {
    const { git, project, params } = call;
    const file = await locateFile(git, project, params);
    if (isRefused(file)) return file;
    const large = params.lfs ? await lfsReply(call, file) : null;
    if (large !== null) return large;
    return rawReply(git, project, file);
  },
});

export const createFile = endpoint({
  post: '/projects/:id/repository/files/:file_path',
  summary: 'Create a file',
  access: inProject('read_project'),
  order: 'projectBeforeBody',
  body: 'late',
  params: { file_path: path },
  refuses: WRITE_REFUSALS,
  records: ['pushed to branch', 'pushed new branch'],
  answer: created(WrittenFile),
  handle: (call) =>
    receiveWrite(call, ({ content, executable, ...write }) =>
      writeFile(call, { ...write, lastCommitId: undefined }, { action: 'create', content, executable }),
    ),
});

export const updateFile = endpoint({
  put: '/projects/:id/repository/files/:file_path',
  summary: 'Change a file',
  access: inProject('read_project'),
  order: 'projectBeforeBody',
  body: 'late',
  params: { file_path: path },
  refuses: WRITE_REFUSALS,
  records: ['pushed to branch', 'pushed new branch'],
  answer: entity(WrittenFile),
  handle: (call) =>
    receiveWrite(call, ({ content, executable, ...write }) =>
      writeFile(call, write, { action: 'update', content, executable }),
    ),
});

export const deleteFile = endpoint({
  delete: '/projects/:id/repository/files/:file_path',
  summary: 'Delete a file',
  access: inProject('push_code'),
  params: {
    file_path: path,
    branch: required(notBlank(text)),
    commit_message: required(notBlank(text)),
    start_branch: optional(text),
    author_email: optional(text),
    author_name: optional(text),
    last_commit_id: optional(text),
  },
  refuses: {
    ...COMMIT_REFUSALS,
    notAllowed: [400, 'You are not allowed to push into this branch'],
    stale: [400, 'You are attempting to delete a file that has been previously updated.'],
  },
  records: ['pushed to branch', 'pushed new branch'],
  answer: nothing,
  async handle(call) {
    const { db, project, caller, params } = call;
    if (!(await mayCommitTo(db, caller, project, params.branch))) return refused('notAllowed');
    if (project.read_only) return refused('readOnly');
    const write = {
      project,
      caller,
      path: params.file_path,
      branch: params.branch,
      message: params.commit_message,
      startBranch: params.start_branch || undefined,
      authorName: params.author_name || undefined,
      authorEmail: params.author_email || undefined,
      lastCommitId: params.last_commit_id || undefined,
    };
    const done = await writeFile(call, write, { action: 'delete' });
    return isRefused(done) ? done : undefined;
  },
});
