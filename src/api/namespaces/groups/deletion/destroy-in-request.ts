import { sql } from 'kysely';
import { hasRepositoryMove } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { selectDescendantIds, selectDescendantProjectIds } from '#domain/namespaces/hierarchy.ts';
import { moveClosure } from '#domain/namespaces/namespaces.ts';
import { listRoutesBelow } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { destroyGroup, destroyGroupInBatches, findRootGroup, type GroupToDestroy } from './destroy.ts';

/** Maximum number of groups and projects of a group that is destroyed within the request. */
const MAX_IN_REQUEST = 50;

/** Number of attempts, enough for some weeks: a storage move may take a day, and no group may stay partly destroyed. */
const MAX_ATTEMPTS = 1000;

interface DetachedGroup extends GroupToDestroy {
  readonly root: GroupToDestroy;
  /** User id and IP address of the author of the audit events. */
  readonly by: number;
  readonly address: string | null;
}

/** Destroys the rest of a detached group. */
export const destroyDetachedGroup = defineJob({
  kind: 'destroy_group',
  maxAttempts: MAX_ATTEMPTS,
  async handle(services: Pick<Services, 'database' | 'runUnitOfWork'>, { by, address, ...group }: DetachedGroup) {
    const caller = await loadCaller(services.database.reader, by, address);
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
  await enqueue(uow, destroyDetachedGroup, { id, full_path, root, by: uow.actor.user.id, address: uow.actor.address });
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
    await removeMembersAndHide(uow, 'group', nonNullIds(routes, 'namespace_id'));
    await removeMembersAndHide(uow, 'project', nonNullIds(routes, 'project_id'));
  }
  // A group without its former names cannot be restored.
  const detachedColumns = { parent_id: null, name_before_deletion: null, path_before_deletion: null };
  await uow.updateTable('namespaces').set(detachedColumns).where('id', '=', id).execute();
  await moveClosure(uow, id, null);
}

const nonNullIds = <Name extends string>(rows: readonly Readonly<Record<Name, number | null>>[], name: Name) =>
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

/** index: namespaces primary key */
function groupExists(db: Reader, id: number): Promise<boolean> {
  return hasRow(db.selectFrom('namespaces').select('id').where('id', '=', id));
}
