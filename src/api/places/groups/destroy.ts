import type { Group } from '../../../access/groups.ts';
import { deleteMembershipsOf } from '../../../access/memberships.ts';
import { defineJob, type Job } from '../../../background/job.ts';
import type { Schedule } from '../../../background/schedules.ts';
import { type Clock, timestamp } from '../../../clock.ts';
import type { Database, Reader, Transaction } from '../../../database/database.ts';
import { recordAudit } from '../../../history/index.ts';
import { type Caller, NOBODY } from '../../../identity/caller.ts';
import { readSettings } from '../../../settings/settings.ts';
import { destroyProject, destroyProjectIn } from '../projects/index.ts';
import type { Surroundings } from './audited.ts';

type Doomed = Pick<Group, 'id' | 'full_path'>;

/** Destroys a group with all groups and projects below it, for ever, as part of a larger change. */
export async function destroyGroup(
  tx: Transaction,
  { config, facts }: Surroundings,
  caller: Caller,
  group: Doomed,
): Promise<void> {
  const root = await rootOf(tx, group.id);
  for (const id of await projectsBelow(tx, group.id)) {
    await destroyProjectIn(tx, { facts, tier: config.tier, caller }, id);
  }
  // Those furthest down first: nothing is above what is not there any more.
  for (const doomed of await groupsBelow(tx, group.id)) {
    await facts.publish(tx, 'group-destroyed', { groupId: doomed.id });
    await deleteMembershipsOf(tx, 'group', [doomed.id]);
    await tx.deleteFrom('namespaces').where('id', '=', doomed.id).execute();
    await recordAudit(tx, caller, {
      name: 'group_destroyed',
      entity: { type: 'Group', id: root.id, path: root.full_path, tier: config.tier },
      target: { type: 'Group', id: doomed.id, details: doomed.full_path },
      message: 'Group destroyed',
      details: { remove: 'group' },
    });
  }
}

/** index: namespace_closure_by_ancestor, projects_by_namespace */
async function projectsBelow(db: Reader, groupId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('namespace_closure')
    .innerJoin('projects', 'projects.namespace_id', 'namespace_closure.descendant_id')
    .select('projects.id')
    .where('namespace_closure.ancestor_id', '=', groupId)
    .orderBy('projects.id')
    .execute();
  return rows.map(({ id }) => id);
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
  return db
    .selectFrom('namespace_closure')
    .innerJoin('routes', 'routes.namespace_id', 'namespace_closure.ancestor_id')
    .select(['namespace_closure.ancestor_id as id', 'routes.full_path'])
    .where('namespace_closure.descendant_id', '=', groupId)
    .orderBy('namespace_closure.depth', 'desc')
    .limit(1)
    .executeTakeFirstOrThrow();
}

interface Rooms extends Surroundings {
  readonly database: Database;
  readonly clock: Clock;
}

/** So many are read at once. */
const batch = 100;

/** Destroys the groups whose deletion was scheduled `deletion_adjourned_period` days ago or earlier. */
export const destroyMarkedGroups: Job<Rooms, Record<string, never>> = defineJob({
  kind: 'destroy_marked_groups',
  async handle(rooms) {
    const { reader } = rooms.database;
    const { deletion_adjourned_period: days } = await readSettings(reader);
    const lastDay = daysBefore(timestamp(rooms.clock), days);
    for (;;) {
      const due = await dueGroups(reader, lastDay);
      for (const group of due) await destroyDue(rooms, group, lastDay);
      if (due.length < batch) return;
    }
  },
});

export const destroyMarkedGroupsDaily: Schedule<Rooms> = {
  name: 'destroy_marked_groups',
  cron: '30 1 * * *',
  job: destroyMarkedGroups,
};

/** index: namespaces_by_deletion, routes_by_namespace */
async function dueGroups(db: Reader, lastDay: string): Promise<Doomed[]> {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .where('namespaces.marked_for_deletion_on', '<=', lastDay)
    .orderBy('namespaces.marked_for_deletion_on')
    .orderBy('namespaces.id')
    .limit(batch)
    .execute();
}

function destroyDue(rooms: Rooms, group: Doomed, lastDay: string): Promise<void> {
  return destroyGroupBySteps(rooms, NOBODY, group, (db) => isStillDue(db, group.id, lastDay));
}

/**
 * Destroys a group as background work: project by project, so that no transaction is long; what is left goes in the last
 * one. `isDoomed` is asked before each: the group may have been spared meanwhile, or have gone with one above it.
 */
export async function destroyGroupBySteps(
  { database, config, facts }: Surroundings & { readonly database: Database },
  caller: Caller,
  group: Doomed,
  isDoomed: (db: Reader) => Promise<boolean>,
): Promise<void> {
  for (const id of await projectsBelow(database.reader, group.id)) {
    if (!(await isDoomed(database.reader))) return;
    await destroyProject({ database, config, facts }, caller, id);
  }
  await database.transaction(async (tx) => {
    if (await isDoomed(tx)) await destroyGroup(tx, { config, facts }, caller, group);
  });
}

/** index: namespaces primary key */
async function isStillDue(db: Reader, id: number, lastDay: string): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('marked_for_deletion_on')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.marked_for_deletion_on != null && row.marked_for_deletion_on <= lastDay;
}

const dayMs = 24 * 60 * 60 * 1000;

function daysBefore(now: string, days: number): string {
  return new Date(Date.parse(now) - days * dayMs).toISOString().slice(0, 10);
}
