import { sql } from 'kysely';
import { ANONYMOUS, type Caller, type SignedInCaller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';
import { deleteMembershipsOfSources } from '#domain/members/memberships.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import {
  listProjectIdsInNamespaces,
  selectDescendantIds,
  selectDescendantProjectIds,
  selectRootNamespace,
} from '#domain/namespaces/hierarchy.ts';
import { moveClosure } from '#domain/namespaces/namespaces.ts';
import { listRoutesBelow } from '#domain/namespaces/routes.ts';
import { MORE, runInBatches } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addDays } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';
import {
  destroyProject,
  destroyProjectBatch,
  hasRepositoryMove,
  isDestructionStarted,
  RepositoryMoveInProgress,
} from '../projects/index.ts';
import { recordGroupDestroyed } from './activity.ts';

/** The columns of a group that its destruction needs. */
type GroupToDestroy = Pick<Group, 'id' | 'full_path'>;

/**
 * Destroys a group with all groups and projects below it. `root`: the group whose audit log records the event, by
 * default the root group.
 */
async function destroyGroup(uow: UnitOfWork, group: GroupToDestroy, root?: GroupToDestroy): Promise<void> {
  const rootGroup = root ?? (await findRootGroup(uow, group.id));
  if (rootGroup === undefined) return;
  for (const id of await listProjectIdsInNamespaces(uow, selectDescendantIds(uow, group.id)))
    await destroyProject(uow, id);
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

/**
 * Destroys a group in the background, project by project and group by group, to keep transactions short. Each transaction checks
 * `isDue`, because the group may have been restored or destroyed meanwhile; then the rest of the group stays.
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
  // Runs batches until none is left. Returns false if the group is no longer due, unless `isStarted` requires completion.
  const runBatches = (
    destroy: (uow: UnitOfWork) => Promise<unknown>,
    isStarted: (uow: UnitOfWork) => Promise<boolean> = async () => false,
  ) =>
    runInBatches(runUnitOfWork, caller, {
      recheck: async (uow) => (await isDue(uow)) || (await isStarted(uow)),
      async runBatch(uow, isAllowed) {
        if (!isAllowed) return false;
        return (await destroy(uow)) === MORE ? MORE : true;
      },
    });
  // First all projects, then the subgroups, the deepest first, then the rows of the group and at last the group itself.
  for (const id of await listProjectIdsInNamespaces(reader, selectDescendantIds(reader, group.id))) {
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
async function findRootGroup(db: Reader, groupId: number): Promise<GroupToDestroy | undefined> {
  return selectRootNamespace(db, groupId)
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .executeTakeFirst();
}

/** Maximum number of groups and projects together that one request destroys; larger groups are destroyed by a job. */
const MAX_IN_REQUEST = 50;

/**
 * Number of attempts of the job, enough for some weeks, because no group may stay partly destroyed. A move of a repository to
 * another storage, which delays the job, may take a day.
 */
const MAX_ATTEMPTS = 1000;

/** The payload of the job. */
interface DetachedGroup extends GroupToDestroy {
  readonly root: GroupToDestroy;
  /** Id and IP address of the user who deleted the group, for the audit events. */
  readonly actorId: number;
  readonly actorAddress: string | null;
}

/** Destroys the rest of a detached group. */
export const destroyDetachedGroup = defineJob({
  kind: 'destroy_group',
  maxAttempts: MAX_ATTEMPTS,
  async handle(
    services: Pick<Services, 'database' | 'runUnitOfWork'>,
    { actorId, actorAddress, ...group }: DetachedGroup,
  ) {
    const caller = await loadCaller(services.database.reader, actorId, actorAddress);
    await destroyGroupInBatches(services, caller, group, (db) => groupExists(db, group.id));
  },
});

/**
 * Destroys a marked group immediately. A large group is first detached, so that only administrators can reach it, and
 * then destroyed by a job.
 */
export async function destroyOrDetachGroup(uow: UnitOfWork<SignedInCaller>, { id, full_path }: Group): Promise<void> {
  if (!(await mustDestroyInBackground(uow, id))) return destroyGroup(uow, { id, full_path });
  const root = (await findRootGroup(uow, id)) ?? { id, full_path };
  await detachGroup(uow, { id, full_path });
  const actor = { actorId: uow.actor.user.id, actorAddress: uow.actor.address };
  await enqueue(uow, destroyDetachedGroup, { id, full_path, root, ...actor });
}

/**
 * Returns whether the group is too large for the request or contains a project that is being moved.
 * index: namespace_closure_by_ancestor, projects_by_namespace
 */
async function mustDestroyInBackground(db: Reader, id: number): Promise<boolean> {
  const groups = await selectDescendantIds(db, id)
    .limit(MAX_IN_REQUEST + 1)
    .execute();
  const projects = await selectDescendantProjectIds(db, id)
    .limit(MAX_IN_REQUEST + 1)
    .execute();
  if (groups.length + projects.length > MAX_IN_REQUEST) return true;
  return hasRepositoryMove(
    db,
    projects.map(({ id }) => id),
  );
}

/**
 * Makes everything in the group private, detaches it from its parent, and removes all members but bots, which are
 * deleted with their project or group.
 */
async function detachGroup(uow: UnitOfWork, { id, full_path }: Pick<Group, 'id' | 'full_path'>): Promise<void> {
  await removeMembersAndHide(uow, 'group', [id]);
  for await (const routes of listRoutesBelow(uow, id, full_path)) {
    await removeMembersAndHide(uow, 'group', pickIds(routes, 'namespace_id'));
    await removeMembersAndHide(uow, 'project', pickIds(routes, 'project_id'));
  }
  // A group without its former names cannot be restored.
  const detachedColumns = { parent_id: null, name_before_deletion: null, path_before_deletion: null };
  await uow.updateTable('namespaces').set(detachedColumns).where('id', '=', id).execute();
  await moveClosure(uow, id, null);
}

const pickIds = <Name extends string>(rows: readonly Readonly<Record<Name, number | null>>[], name: Name) =>
  rows.map((row) => row[name]).filter((id) => id !== null);

/**
 * Removes all members but bots from these groups or projects, and makes them private.
 * index: memberships_by_source, token_bots primary key; projects, namespaces primary key
 */
async function removeMembersAndHide(uow: UnitOfWork, kind: 'group' | 'project', ids: readonly number[]): Promise<void> {
  await uow
    .deleteFrom('memberships')
    .where('source_type', '=', kind)
    .where(isInIds(uow, sql<number>`memberships.source_id`, ids))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('token_bots').select('user_id').whereRef('user_id', '=', 'memberships.user_id'))),
    )
    .execute();
  const table = kind === 'group' ? 'namespaces' : 'projects';
  const hiddenColumns = { visibility: 'private', updated_at: uow.now } as const;
  await uow
    .updateTable(table)
    .set(hiddenColumns)
    .where(isInIds(uow, sql.ref<number>(`${table}.id`), ids))
    .execute();
}

/** Returns whether the group exists. index: namespaces primary key */
function groupExists(db: Reader, id: number): Promise<boolean> {
  return hasRow(db.selectFrom('namespaces').select('id').where('id', '=', id));
}

/** Number of due groups that one query returns. */
const BATCH_SIZE = 100;

/** Destroys the groups whose deletion was scheduled at least `deletion_adjourned_period` days ago. */
export const destroyMarkedGroups = defineJob({
  kind: 'destroy_marked_groups',
  async handle(services: Pick<Services, 'database' | 'runUnitOfWork'>) {
    const { reader } = services.database;
    const { deletion_adjourned_period: days } = await loadSettings(reader);
    const cutoffDate = addDays(reader.today, -days);
    for (;;) {
      const dueGroups = await findDueGroups(reader, cutoffDate);
      let destroyedCount = 0;
      for (const group of dueGroups) {
        await services.runUnitOfWork(ANONYMOUS, (uow) => preventRestore(uow, group.id, cutoffDate));
        if (await destroyUnlessMoving(services, group, cutoffDate)) destroyedCount++;
      }
      // Without progress, the next batch would contain the same groups, which wait for storage moves.
      if (dueGroups.length < BATCH_SIZE || destroyedCount === 0) return;
    }
  },
});

/** Destroys the group. Returns false if one of its repositories is being moved; the job tries again later. */
async function destroyUnlessMoving(
  services: Pick<Services, 'database' | 'runUnitOfWork'>,
  group: GroupToDestroy,
  cutoffDate: string,
): Promise<boolean> {
  try {
    await destroyGroupInBatches(services, ANONYMOUS, group, (db) => isStillDue(db, group.id, cutoffDate));
    return true;
  } catch (error) {
    if (error instanceof RepositoryMoveInProgress) return false;
    throw error;
  }
}

/** Runs at night, after the job for marked projects. */
export const destroyMarkedGroupsDaily: Schedule<Services> = {
  name: 'destroy_marked_groups',
  cron: '30 1 * * *',
  job: destroyMarkedGroups,
};

/** Returns some groups that were marked on `cutoffDate` or before, the oldest first. index: namespaces_by_deletion, routes_by_namespace */
async function findDueGroups(db: Reader, cutoffDate: string): Promise<GroupToDestroy[]> {
  return db
    .selectFrom('namespaces')
    .innerJoin('routes', 'routes.namespace_id', 'namespaces.id')
    .select(['namespaces.id', 'routes.full_path'])
    .where('namespaces.marked_for_deletion_on', '<=', cutoffDate)
    .orderBy('namespaces.marked_for_deletion_on')
    .orderBy('namespaces.id')
    .limit(BATCH_SIZE)
    .execute();
}

/** Prevents a restore by deleting the former names, so that a partly destroyed group is always destroyed completely. */
async function preventRestore(uow: UnitOfWork, id: number, cutoffDate: string): Promise<void> {
  await uow
    .updateTable('namespaces')
    .set({ name_before_deletion: null, path_before_deletion: null })
    .where('id', '=', id)
    .where('marked_for_deletion_on', '<=', cutoffDate)
    .execute();
}

/** Returns whether the group exists and was not restored meanwhile. index: namespaces primary key */
async function isStillDue(db: Reader, id: number, cutoffDate: string): Promise<boolean> {
  const row = await db
    .selectFrom('namespaces')
    .select('marked_for_deletion_on')
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.marked_for_deletion_on != null && row.marked_for_deletion_on <= cutoffDate;
}
