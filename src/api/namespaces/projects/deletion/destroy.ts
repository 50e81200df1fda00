import { forgetProjectActivity, forgetSomeProjectActivity, INSTANCE } from '#activity/index.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { deleteMembershipsOf } from '#domain/members/memberships.ts';
import { MORE, PIECE } from '#events/batches.ts';
import { type AnySubscription, subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Git, repositoryAt } from '#git/git.ts';
import { removeRepository } from '#git/storage/storage.ts';

/**
 * Destroys a project with everything below it, at once and for ever; nothing happens to one that is gone already. The
 * repository's directory goes afterwards, in a job.
 */
export async function destroyProject(uow: UnitOfWork, projectId: number): Promise<void> {
  const doomed = await readDoomed(uow, projectId);
  if (doomed === undefined) return;
  stayWhileMoving(doomed);
  await uow.publish('project-destroyed', factOf(doomed));
  await forgetProjectActivity(uow, projectId);
  await deleteMembershipsOf(uow, 'project', [projectId]);
  await recordDestruction(uow, doomed);
  await uow.deleteFrom('projects').where('id', '=', projectId).execute();
}

/**
 * The same for `inPieces`, of a project that may hold very much. From the first piece on nobody restores it, and should
 * the rest not be done, those who destroy marked projects come to it. Whoever destroys asks in each piece whether he
 * still may (`isBegun`).
 */
export async function destroyPieceOfProject(uow: UnitOfWork, projectId: number): Promise<typeof MORE | undefined> {
  const doomed = await readDoomed(uow, projectId);
  if (doomed === undefined) return undefined;
  stayWhileMoving(doomed);
  const forgetSome = () => forgetSomeProjectActivity(uow, projectId, PIECE);
  if ((await uow.publishBatch('project-destroyed', factOf(doomed))) || (await forgetSome()) === PIECE) {
    await makeFinal(uow, projectId);
    return MORE;
  }
  await destroyProject(uow, projectId);
  return undefined;
}

/** Nothing is left that it could be restored as, and it should have gone long ago. */
const FINAL = { marked_for_deletion_on: '1970-01-01', name_before_deletion: null, path_before_deletion: null } as const;

// index: projects primary key
async function makeFinal(uow: UnitOfWork, projectId: number): Promise<void> {
  await uow
    .updateTable('projects')
    .set({ ...FINAL, archived: true })
    .where('id', '=', projectId)
    .execute();
}

/** Has a piece of it gone already? Then the rest goes too. index: projects primary key */
export function isBegun(db: Reader, projectId: number): Promise<boolean> {
  const final = db.selectFrom('projects').select('id').where('id', '=', projectId);
  return hasRow(final.where('marked_for_deletion_on', '=', FINAL.marked_for_deletion_on));
}

/** Thrown where a project would be destroyed whose repository is on its way to another storage: it can be tried again later. */
export class IsMoving extends Error {
  constructor(projectId: number) {
    super(`The repository of project ${projectId} is being moved`);
    this.name = 'IsMoving';
  }
}

function stayWhileMoving({ id, move_id }: Doomed): void {
  if (move_id !== null) throw new IsMoving(id);
}

/** Is the repository of one of these on its way to another storage? index: repositories primary key */
export function areMoving(db: Reader, projectIds: readonly number[]): Promise<boolean> {
  if (projectIds.length === 0) return Promise.resolve(false);
  const moving = db.selectFrom('repositories').select('project_id').where('move_id', 'is not', null);
  return hasRow(moving.where('project_id', 'in', projectIds));
}

const factOf = ({ id, storage, disk_path }: Doomed) => ({ projectId: id, storage, diskPath: disk_path });

// index: projects primary key, repositories primary key, routes_by_project, routes_by_namespace
function readDoomed(db: Reader, id: number) {
  return db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .innerJoin('routes as parent', 'parent.namespace_id', 'projects.namespace_id')
    .select([
      'projects.id',
      'projects.name',
      'projects.namespace_id',
      'routes.full_path',
      'repositories.storage',
      'repositories.disk_path',
      'repositories.move_id',
      'namespaces.kind',
      'namespaces.name as namespace_name',
      'parent.full_path as namespace_path',
    ])
    .where('projects.id', '=', id)
    .executeTakeFirst();
}

type Doomed = NonNullable<Awaited<ReturnType<typeof readDoomed>>>;

/** The log of what is left: the group's, or for personal projects the instance's. */
async function recordDestruction(uow: UnitOfWork, doomed: Doomed): Promise<void> {
  // A personal project's event would otherwise be the only one of a project that tier free records.
  if (uow.tier === 'free') return;
  const { id, name, full_path, namespace_id, namespace_name, namespace_path } = doomed;
  await uow.record({
    name: 'project_destroyed',
    entity: doomed.kind === 'group' ? { type: 'Group', id: namespace_id, path: namespace_path } : INSTANCE,
    target: { type: 'Project', id, details: full_path },
    message: `Project '${full_path}' was deleted`,
    details: {
      remove: 'project',
      project_id: id,
      project_name: name,
      project_full_path: full_path,
      namespace_id,
      namespace_name,
      namespace_path,
    },
  });
}

/** What stays of a destroyed project outside of the database: its repository. */
export const removeProjectRepository = subscription({
  event: 'project-destroyed',
  inBackground: {
    kind: 'remove_project_repository',
    handle: ({ git }: { readonly git: Git }, { storage, diskPath }) =>
      removeRepository(git, repositoryAt(git, storage, diskPath)),
  },
}) satisfies AnySubscription<{ readonly git: Git }>;
