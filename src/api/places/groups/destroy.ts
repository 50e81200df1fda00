import { itselfAndAbove, namespacesInside, projectsDirectlyIn } from '../../../access/closure.ts';
import type { Group } from '../../../access/groups.ts';
import { deleteMembershipsOf } from '../../../access/memberships.ts';
import type { Reader } from '../../../database/database.ts';
import type { Act } from '../../../facts/act.ts';
import type { Rooms } from '../../../http/rooms.ts';
import type { Caller } from '../../../identity/caller.ts';
import { destroyProject } from '../projects/index.ts';
import { recordDestroyed } from './history.ts';

export type Doomed = Pick<Group, 'id' | 'full_path'>;

/** Destroys a group with all groups and projects below it, for ever. */
export async function destroyGroup(act: Act, group: Doomed): Promise<void> {
  const root = await rootOf(act, group.id);
  for (const id of await projectsBelow(act, group.id)) await destroyProject(act, id);
  // Those furthest down first: nothing is above what is not there any more.
  for (const doomed of await groupsBelow(act, group.id)) {
    await act.publish('group-destroyed', { groupId: doomed.id });
    await deleteMembershipsOf(act, 'group', [doomed.id]);
    await act.deleteFrom('namespaces').where('id', '=', doomed.id).execute();
    await recordDestroyed(act, doomed, root);
  }
}

/**
 * Destroys a group as background work: project by project, so that no transaction is long; what is left goes in the last
 * one. `isDoomed` is asked in each: the group may have been spared meanwhile, or have gone with one above it.
 */
export async function destroyGroupBySteps(
  { database, acting }: Pick<Rooms, 'database' | 'acting'>,
  caller: Caller,
  group: Doomed,
  isDoomed: (db: Reader) => Promise<boolean>,
): Promise<void> {
  const step = (destroy: (act: Act) => Promise<void>) =>
    acting(caller, async (act) => {
      if (!(await isDoomed(act))) return false;
      await destroy(act);
      return true;
    });
  for (const id of await projectsBelow(database.reader, group.id)) {
    if (!(await step((act) => destroyProject(act, id)))) return;
  }
  await step((act) => destroyGroup(act, group));
}

/** index: namespace_closure_by_ancestor, projects_by_namespace */
function projectsBelow(db: Reader, groupId: number): Promise<number[]> {
  return projectsDirectlyIn(db, namespacesInside(db, groupId));
}

/** Itself last. index: namespace_closure_by_ancestor, routes_by_namespace */
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
async function rootOf(db: Reader, groupId: number): Promise<Doomed> {
  return itselfAndAbove(db, groupId)
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .orderBy('namespace_closure.depth', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}
