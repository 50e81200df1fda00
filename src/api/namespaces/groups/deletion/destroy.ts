import { destroyPieceOfProject, destroyProject, isBegun } from '#api/namespaces/projects/index.ts';
import type { Caller } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { deleteMembershipsOf } from '#domain/members/memberships.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { namespacesInside, projectsDirectlyIn, topOf } from '#domain/namespaces/hierarchy.ts';
import { inPieces, MORE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { recordDestroyed } from '../activity.ts';

export type Doomed = Pick<Group, 'id' | 'full_path'>;

/** Destroys a group with all groups and projects below it, for ever. `root`: whose log tells of it, the group at the top. */
export async function destroyGroup(uow: UnitOfWork, group: Doomed, root?: Doomed): Promise<void> {
  const top = root ?? (await rootOf(uow, group.id));
  if (top === undefined) return;
  for (const id of await projectsBelow(uow, group.id)) await destroyProject(uow, id);
  for (const doomed of await groupsBelow(uow, group.id)) await destroyOne(uow, doomed, top);
}

/** Destroys a group in which nothing is any more; nothing happens to one that is gone already. */
async function destroyOne(uow: UnitOfWork, doomed: Doomed, root: Doomed): Promise<void> {
  await uow.publish('group-destroyed', { groupId: doomed.id });
  await deleteMembershipsOf(uow, 'group', [doomed.id]);
  const gone = await uow.deleteFrom('namespaces').where('id', '=', doomed.id).returning('id').executeTakeFirst();
  if (gone !== undefined) await recordDestroyed(uow, doomed, root);
}

/** The same for `inPieces`. */
async function destroyPieceOf(uow: UnitOfWork, doomed: Doomed, root: Doomed): Promise<typeof MORE | undefined> {
  const more = await aheadOf(uow, doomed);
  if (!more) await destroyOne(uow, doomed, root);
  return more;
}

async function aheadOf(uow: UnitOfWork, { id }: Doomed): Promise<typeof MORE | undefined> {
  return (await uow.publishBatch('group-destroyed', { groupId: id })) ? MORE : undefined;
}

const nothingIs = async () => false;

/**
 * Destroys a group as background work: project by project and group by group, so that no transaction is long; what is
 * left goes in the last one. `isDoomed` is asked in each: the group may have been spared meanwhile, or have gone with
 * one above it.
 */
export async function destroyGroupBySteps(
  { database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>,
  caller: Caller,
  group: Doomed & { readonly root?: Doomed },
  isDoomed: (db: Reader) => Promise<boolean>,
): Promise<void> {
  const { reader } = database;
  const root = group.root ?? (await rootOf(reader, group.id));
  if (root === undefined) return;
  const step = (
    destroy: (uow: UnitOfWork) => Promise<unknown>,
    orBegun: (uow: UnitOfWork) => Promise<boolean> = nothingIs,
  ) =>
    inPieces(runUnitOfWork, caller, {
      ask: async (uow) => (await isDoomed(uow)) || (await orBegun(uow)),
      async piece(uow, doomed) {
        if (!doomed) return false;
        return (await destroy(uow)) === MORE ? MORE : true;
      },
    });
  for (const id of await projectsBelow(reader, group.id)) {
    const whole = await step(
      (uow) => destroyPieceOfProject(uow, id),
      (uow) => isBegun(uow, id),
    );
    if (!whole) return;
  }
  for (const doomed of await groupsBelow(reader, group.id)) {
    if (doomed.id !== group.id && !(await step((uow) => destroyPieceOf(uow, doomed, root)))) return;
  }
  if (!(await step((uow) => aheadOf(uow, group)))) return;
  await step((uow) => destroyGroup(uow, group, root));
}

/** index: namespace_closure_by_ancestor, projects_by_namespace */
function projectsBelow(db: Reader, groupId: number): Promise<number[]> {
  return projectsDirectlyIn(db, namespacesInside(db, groupId));
}

/** Those furthest down first, itself last: nothing is above what is not there any more. index: namespace_closure_by_ancestor, routes_by_namespace */
async function groupsBelow(db: Reader, groupId: number): Promise<Doomed[]> {
  return db
    .selectFrom('namespace_closure')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_closure.descendant_id')
    .select(['namespace_closure.descendant_id as id', 'routes.full_path'])
    .where('namespace_closure.ancestor_id', '=', groupId)
    .orderBy('namespace_closure.depth', 'desc')
    .orderBy('namespace_closure.descendant_id')
    .execute();
}

/** The group at the top, perhaps itself. index: namespace_closure_pkey, routes_by_namespace */
export async function rootOf(db: Reader, groupId: number): Promise<Doomed | undefined> {
  return topOf(db, groupId)
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .executeTakeFirst();
}
