import type { SignedInCaller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { reloadAccess, requireAbility } from '#authorization/current-access.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { requireSignedInCaller } from '#http/access/access.ts';
import { gitAccess } from '#http/access/git-access.ts';
import { GIT_ENDPOINT } from '#http/access/git-rules.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { HttpError } from '#http/errors/http-error.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { readBytes } from '#http/request/body.ts';
import type { IncomingRequest } from '#http/request/incoming.ts';
import { parseJson } from '#http/request/json-body.ts';
import { isLfsEnabled } from '#repositories/lfs/lfs-objects.ts';
import { type Failure, fail, isFailure, requireRow } from '#runtime/failure.ts';
import { isJsonObject, type JsonObject } from '#text/json-object.ts';
import {
  countLocks,
  deleteLock,
  findLock,
  findLockOfPath,
  insertLock,
  type LfsLock,
  type LockFilter,
  listLocks,
} from './store.ts';

/** Maximum characters of a path, as in GitLab. */
const MAX_PATH_LENGTH = 511;

/** Maximum and default number of locks in one response. */
const MAX_PAGE_LENGTH = 100;

const createLfsError = (status: number, message: string, extraFields: object = {}) =>
  new HttpError(status, { ...extraFields, message }, { 'Content-Type': LFS_TYPE });

const LFS_TYPE = 'application/vnd.git-lfs+json';

/** Reads the body as a JSON object; an empty body is an empty object. Throws 422 for other bodies. */
async function readJsonObject(request: IncomingRequest): Promise<JsonObject> {
  const bytes = await readBytes(request);
  const value = bytes.length === 0 ? {} : await parseJson(bytes).catch(() => null);
  if (isJsonObject(value)) return value;
  throw createLfsError(422, 'The request is not valid');
}

/** Returns the path to lock. Throws 422 for a path that no file of a repository can have. */
function readPath({ path }: JsonObject): string {
  if (typeof path === 'string' && isFilePath(path)) return path;
  throw createLfsError(422, 'The path is not valid');
}

/** Returns whether a file of a repository can have this path. */
function isFilePath(path: string): boolean {
  if (path === '' || path.length > MAX_PATH_LENGTH || path.includes('\0') || !path.isWellFormed()) return false;
  return !path.split('/').some((part) => part === '' || part === '.' || part === '..');
}

/** Returns the first id of the requested page, and its maximum length. An invalid cursor or limit counts as absent. */
function readPage({ cursor, limit }: { readonly cursor?: unknown; readonly limit?: unknown }) {
  const requestedLimit = parseInteger(limit) || MAX_PAGE_LENGTH;
  return { cursor: parseInteger(cursor) ?? 0, limit: Math.min(requestedLimit, MAX_PAGE_LENGTH) };
}

/** Returns the non-negative integer that a number or a string of digits stands for; null for other values. */
function parseInteger(value: unknown): number | null {
  const text = typeof value === 'number' ? String(value) : value;
  return typeof text === 'string' && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

/** Maximum number of locks of a project. */
const MAX_LOCKS = 10_000;

/** Locks a path for the caller. Fails with `locked` and the existing lock. */
async function lockPath(
  tx: Transaction,
  caller: SignedInCaller,
  { id }: Project,
  path: string,
): Promise<LfsLock | Failure<'locked' | 'tooMany'>> {
  const access = await reloadAccess(tx, caller, id);
  requireAbility(access, 'push_code');
  if ((await countLocks(tx, id, MAX_LOCKS)) === MAX_LOCKS) return fail('tooMany', { limit: MAX_LOCKS });
  const inserted = await insertLock(tx, { project_id: id, user_id: access.caller.user.id, path });
  const lock = requireRow(await findLockOfPath(tx, id, path));
  return inserted ? lock : fail('locked', { lock });
}

/** Deletes a lock of the caller; with `force` Maintainers delete the locks of others. Returns the deleted lock. */
async function unlock(
  tx: Transaction,
  caller: SignedInCaller,
  project: Project,
  { id, force }: { readonly id: number; readonly force: boolean },
): Promise<LfsLock | Failure<'notFound' | 'notOwner' | 'forceNotAllowed'>> {
  const access = await reloadAccess(tx, caller, project.id);
  requireAbility(access, 'push_code');
  const lock = await findLock(tx, project.id, id);
  if (lock === null) return fail('notFound');
  if (lock.user_id !== access.caller.user.id) {
    if (!force) return fail('notOwner', { path: lock.path, owner: lock.owner_name });
    if (!mayInProject(access.caller, 'force_unlock_lfs_file', access.project)) return fail('forceNotAllowed');
  }
  await deleteLock(tx, lock.id);
  return lock;
}

// The locking API of git-lfs (contract/repository.md §5 "LFS locks"). Lists start at the cursor, which is the id of a lock.

export const listLfsLocks = endpoint({
  get: '/*repository_path.git/info/lfs/locks',
  summary: 'List LFS locks',
  description:
    'Implements the locking API of Git LFS. Returns the locks of the project, the oldest first, optionally only ' +
    'those of a `path` or `id`. `next_cursor` in the response is the `cursor` of the next page.',
  access: gitAccess(() => 'fetch'),
  ...GIT_ENDPOINT,
  response: streamWith({ mediaTypes: [LFS_TYPE] }),
  async handle({ project, request }, { database }) {
    await requireLfs(database.reader, project);
    const query = Object.fromEntries(new URLSearchParams(request.query));
    // An invalid id matches no lock.
    const id = query.id === undefined ? undefined : (parseInteger(query.id) ?? 0);
    const { locks, next_cursor } = await loadPage(database.reader, project, query, { path: query.path, id });
    return createReply({ locks: locks.map(serialize), ...(next_cursor && { next_cursor }) });
  },
});

export const verifyLfsLocks = endpoint({
  post: '/*repository_path.git/info/lfs/locks/verify',
  summary: 'List own LFS locks and other LFS locks',
  description:
    'Returns the locks of the project in two lists: `ours` has those of the caller, `theirs` the others. Git LFS ' +
    'calls it before a push; the server itself does not check pushes against locks.',
  access: gitAccess(() => 'push', 'user'),
  ...GIT_ENDPOINT,
  response: streamWith({ mediaTypes: [LFS_TYPE] }),
  async handle({ project, caller, request }, { database }) {
    await requireLfs(database.reader, project);
    const { locks, next_cursor } = await loadPage(database.reader, project, await readJsonObject(request));
    const isOwn = ({ user_id }: LfsLock) => user_id === caller.user?.id;
    return createReply({
      ours: locks.filter(isOwn).map(serialize),
      theirs: locks.filter((lock) => !isOwn(lock)).map(serialize),
      ...(next_cursor && { next_cursor }),
    });
  },
});

export const createLfsLock = endpoint({
  post: '/*repository_path.git/info/lfs/locks',
  summary: 'Create an LFS lock',
  description:
    'Locks the path in the body for the caller, on all branches. A path that is locked already answers 409 with its ' +
    'lock. A project has at most 10,000 locks.',
  access: gitAccess(() => 'push', 'user'),
  ...GIT_ENDPOINT,
  response: streamWith({ status: 201, mediaTypes: [LFS_TYPE] }),
  async handle({ project, caller, request }, { database }) {
    await requireLfs(database.reader, project);
    const path = readPath(await readJsonObject(request));
    const lock = await database.transaction((tx) => lockPath(tx, requireSignedInCaller(caller), project, path));
    if (!isFailure(lock)) return { status: 201, ...createReply({ lock: serialize(lock) }) };
    if (lock.code === 'tooMany') throw createLfsError(422, 'The project has too many locks');
    throw createLfsError(409, 'already locked', { lock: serialize(lock.values.lock as LfsLock) });
  },
});

export const deleteLfsLock = endpoint({
  post: '/*repository_path.git/info/lfs/locks/:lock_id/unlock',
  summary: 'Delete an LFS lock',
  description:
    'Deletes a lock of the caller and returns it. With `force` in the body, Maintainers can delete the locks of ' +
    'others.',
  access: gitAccess(() => 'push', 'user'),
  ...GIT_ENDPOINT,
  params: { lock_id: required(string) },
  response: streamWith({ mediaTypes: [LFS_TYPE] }),
  async handle({ project, caller, request, params: { lock_id } }, { database }) {
    await requireLfs(database.reader, project);
    const { force } = await readJsonObject(request);
    const unlockRequest = { id: parseInteger(lock_id) ?? 0, force: force === true };
    const lock = await database.transaction((tx) => unlock(tx, requireSignedInCaller(caller), project, unlockRequest));
    if (!isFailure(lock)) return createReply({ lock: serialize(lock) });
    if (lock.code === 'notFound') throw createLfsError(404, 'Lock not found');
    if (lock.code === 'notOwner') throw createLfsError(403, `${lock.values.path} is locked by ${lock.values.owner}`);
    throw createLfsError(403, 'You must be a Maintainer to delete the lock of another user');
  },
});

/** Throws 404, by which clients know that the server supports no locks, unless LFS is enabled in the project. */
async function requireLfs(db: Reader, project: Project): Promise<void> {
  if (!(await isLfsEnabled(db, project))) throw createLfsError(404, 'Not found');
}

/** Loads a page of locks. One lock more than the limit tells whether a next page exists. */
async function loadPage(
  db: Reader,
  { id }: Project,
  input: { readonly cursor?: unknown; readonly limit?: unknown },
  filter: LockFilter = {},
): Promise<{ readonly locks: LfsLock[]; readonly next_cursor?: string }> {
  const { cursor, limit } = readPage(input);
  const locks = await listLocks(db, id, filter, { cursor, limit: limit + 1 });
  const nextLock = locks[limit];
  return { locks: locks.slice(0, limit), ...(nextLock && { next_cursor: String(nextLock.id) }) };
}

function serialize({ id, path, created_at, owner_name }: LfsLock) {
  return { id: String(id), path, locked_at: created_at, owner: { name: owner_name } };
}

/** Returns a response with this body in the media type of LFS. */
const createReply = (body: object): StreamReply => ({
  headers: { 'Content-Type': LFS_TYPE },
  body: JSON.stringify(body),
});
