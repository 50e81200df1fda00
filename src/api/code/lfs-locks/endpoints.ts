import type { Reader } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { requireSignedInCaller } from '#http/access/access.ts';
import { gitAccess } from '#http/access/git-access.ts';
import { endpoint } from '#http/endpoint/endpoint.ts';
import { type StreamReply, streamWith } from '#http/endpoint/responses.ts';
import { required } from '#http/parameters/declarations.ts';
import { string } from '#http/parameters/texts.ts';
import { isLfsEnabled } from '#repositories/lfs/lfs-objects.ts';
import { isFailure } from '#runtime/failure.ts';
import { lockPath, unlock } from './locks.ts';
import { createLfsError, LFS_TYPE, parseId, readJsonObject, readPage, readPath } from './requests.ts';
import { type LfsLock, listLocks } from './store.ts';

// The locking API of git-lfs (contract/repository.md §5 "LFS locks"). Lists start at the cursor, which is the id of a lock.

export const listLfsLocks = endpoint({
  get: '/*repository_path.git/info/lfs/locks',
  summary: 'List LFS locks',
  access: gitAccess(() => 'fetch'),
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
  response: streamWith({ mediaTypes: [LFS_TYPE] }),
  async handle({ project, request }, { database }) {
    await requireLfs(database.reader, project);
    const query = Object.fromEntries(new URLSearchParams(request.query));
    // An invalid id matches no lock.
    const id = query.id === undefined ? undefined : (parseId(query.id) ?? 0);
    const { locks, next_cursor } = await loadPage(database.reader, project, query, { path: query.path, id });
    return createReply({ locks: locks.map(serialize), ...(next_cursor && { next_cursor }) });
  },
});

export const verifyLfsLocks = endpoint({
  post: '/*repository_path.git/info/lfs/locks/verify',
  summary: 'List own LFS locks and other LFS locks',
  access: gitAccess(() => 'push', 'user'),
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
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
  access: gitAccess(() => 'push', 'user'),
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
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
  access: gitAccess(() => 'push', 'user'),
  stageOrder: 'customAuthentication',
  body: 'raw',
  outsideApi: true,
  params: { lock_id: required(string) },
  response: streamWith({ mediaTypes: [LFS_TYPE] }),
  async handle({ project, caller, request, params: { lock_id } }, { database }) {
    await requireLfs(database.reader, project);
    const { force } = await readJsonObject(request);
    const unlockRequest = { id: parseId(lock_id) ?? 0, force: force === true };
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
  filter: Parameters<typeof listLocks>[2] = {},
): Promise<{ readonly locks: LfsLock[]; readonly next_cursor?: string }> {
  const { cursor, limit } = readPage(input);
  const locks = await listLocks(db, id, filter, { cursor, limit: limit + 1 });
  const nextLock = locks[limit];
  return { locks: locks.slice(0, limit), ...(nextLock && { next_cursor: String(nextLock.id) }) };
}

function serialize({ id, path, created_at, owner_name }: LfsLock) {
  return { id: String(id), path, locked_at: created_at, owner: { name: owner_name } };
}

const createReply = (body: object): StreamReply => ({
  headers: { 'Content-Type': LFS_TYPE },
  body: JSON.stringify(body),
});
