import { destroyProject, destroyProjectBatch, isDestructionStarted } from '#api/namespaces/projects/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { deleteMembershipsOfSources } from '#domain/members/memberships.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { listProjectIdsInNamespaces, selectDescendantIds, selectRootNamespace } from '#domain/namespaces/hierarchy.ts';
import { MORE, runInBatches } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { recordGroupDestroyed } from '../activity.ts';

export type GroupToDestroy = Pick<Group, 'id' | 'full_path'>;

/**
 * Destroys a group with all groups and projects below it. `root`: the group whose audit log records the event, by
 * default the root group.
 */
export async function destroyGroup(uow: UnitOfWork, group: GroupToDestroy, root?: GroupToDestroy): Promise<void> {
  const rootGroup = root ?? (await findRootGroup(uow, group.id));
  if (rootGroup === undefined) return;
  for (const id of await listProjectIdsBelow(uow, group.id)) await destroyProject(uow, id);
  for (const target of await listGroupsBelow(uow, group.id)) await destroyEmptyGroup(uow, target, rootGroup);
}

/** Destroys an empty group; does nothing if it no longer exists. */
async function destroyEmptyGroup(uow: UnitOfWork, target: GroupToDestroy, root: GroupToDestroy): Promise<void> {
  await uow.publish('group-destroyed', { groupId: target.id });
  await deleteMembershipsOfSources(uow, 'group', [target.id]);
  const deletedRow = await uow.deleteFrom('namespaces').where('id', '=', target.id).returning('id').executeTakeFirst();
  if (deletedRow !== undefined) await recordGroupDestroyed(uow, target, root);
}

/** Destroys one batch of the rows of a group, at last the group itself. Returns MORE while rows may remain. */
async function destroyGroupBatch(
  uow: UnitOfWork,
  target: GroupToDestroy,
  root: GroupToDestroy,
): Promise<typeof MORE | undefined> {
  const more = await destroyRelatedBatch(uow, target);
  if (!more) await destroyEmptyGroup(uow, target, root);
  return more;
}

/** Destroys one batch of the rows that belong to a group. Returns MORE while rows may remain. */
async function destroyRelatedBatch(uow: UnitOfWork, { id }: GroupToDestroy): Promise<typeof MORE | undefined> {
  return (await uow.publishBatch('group-destroyed', { groupId: id })) ? MORE : undefined;
}

const neverStarted = async () => false;

/**
 * Destroys a group in the background, project by project and group by group, to keep transactions short. `isDue` is
 * checked in each transaction, since the group may have been restored or destroyed meanwhile.
 */
export async function destroyGroupInBatches(
  { database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>,
  caller: Caller,
  group: GroupToDestroy & { readonly root?: GroupToDestroy },
  isDue: (db: Reader) => Promise<boolean>,
): Promise<void> {
  const { reader } = database;
  const root = group.root ?? (await findRootGroup(reader, group.id));
  if (root === undefined) return;
  const runBatches = (
    destroy: (uow: UnitOfWork) => Promise<unknown>,
    isStarted: (uow: UnitOfWork) => Promise<boolean> = neverStarted,
  ) =>
    runInBatches(runUnitOfWork, caller, {
      recheck: async (uow) => (await isDue(uow)) || (await isStarted(uow)),
      async runBatch(uow, isAllowed) {
        if (!isAllowed) return false;
        return (await destroy(uow)) === MORE ? MORE : true;
      },
    });
  for (const id of await listProjectIdsBelow(reader, group.id)) {
    const completed = await runBatches(
      (uow) => destroyProjectBatch(uow, id),
      (uow) => isDestructionStarted(uow, id),
    );
    if (!completed) return;
  }
  for (const target of await listGroupsBelow(reader, group.id)) {
    if (target.id !== group.id && !(await runBatches((uow) => destroyGroupBatch(uow, target, root)))) return;
  }
  if (!(await runBatches((uow) => destroyRelatedBatch(uow, group)))) return;
  await runBatches((uow) => destroyGroup(uow, group, root));
}

/** index: namespace_closure_by_ancestor, projects_by_namespace */
function listProjectIdsBelow(db: Reader, groupId: number): Promise<number[]> {
  return listProjectIdsInNamespaces(db, selectDescendantIds(db, groupId));
}

/**
 * Returns the descendant groups, deepest first, then the group itself.
 * index: namespace_closure_by_ancestor, routes_by_namespace
 */
async function listGroupsBelow(db: Reader, groupId: number): Promise<GroupToDestroy[]> {
  return db
    .selectFrom('namespace_closure')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_closure.descendant_id')
    .select(['namespace_closure.descendant_id as id', 'routes.full_path'])
    .where('namespace_closure.ancestor_id', '=', groupId)
    .orderBy('namespace_closure.depth', 'desc')
    .orderBy('namespace_closure.descendant_id')
    .execute();
}

/** Returns the root group, which may be the group itself. index: namespace_closure_pkey, routes_by_namespace */
export async function findRootGroup(db: Reader, groupId: number): Promise<GroupToDestroy | undefined> {
  return selectRootNamespace(db, groupId)
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .executeTakeFirst();
}
