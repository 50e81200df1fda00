import { sql } from 'kysely';
import { areMoving } from '#api/namespaces/projects/index.ts';
import type { SignedInCaller } from '#authentication/caller.ts';
import { callerOf } from '#authentication/users/users.ts';
import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { hasRow } from '#database/has-row.ts';
import type { Group } from '#domain/namespaces/groups.ts';
import { namespacesInside, projectsInside } from '#domain/namespaces/hierarchy.ts';
import { moveClosure } from '#domain/namespaces/namespaces.ts';
import { routesBelow } from '#domain/namespaces/routes.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { type Doomed, destroyGroup, destroyGroupBySteps, rootOf } from './destroy.ts';

/** With so many groups and projects in it, a group is destroyed in the request that asks for it. */
const FEW = 50;

/** Half a group helps nobody, and what is moving to another storage may take a day: it is tried for some weeks. */
const MAX_ATTEMPTS = 1000;

interface PutAway extends Doomed {
  readonly root: Doomed;
  /** Who asked for it, and from where: the author of what the history tells. */
  readonly by: number;
  readonly address: string | null;
}

/** Destroys what is left of a group that nobody reaches any more. */
export const destroyPutAway = defineJob({
  kind: 'destroy_group',
  maxAttempts: MAX_ATTEMPTS,
  async handle(services: Services, { by, address, ...group }: PutAway) {
    const caller = await callerOf(services.database.reader, by, address);
    await destroyGroupBySteps(services, caller, group, (db) => isThere(db, group.id));
  },
});

/**
 * Destroys a marked group right away. One with much in it is out of everybody's reach at once, whatever his role but an
 * administrator's, and the queue takes it apart.
 */
export async function destroyAtOnce(uow: UnitOfWork<SignedInCaller>, { id, full_path }: Group): Promise<void> {
  if (!(await holdsMuch(uow, id))) return destroyGroup(uow, { id, full_path });
  const root = (await rootOf(uow, id)) ?? { id, full_path };
  await putAway(uow, { id, full_path });
  await enqueue(uow, destroyPutAway, { id, full_path, root, by: uow.actor.user.id, address: uow.actor.address });
}

/** Or what can't go right now. index: namespace_closure_by_ancestor, projects_by_namespace */
async function holdsMuch(db: Reader, id: number): Promise<boolean> {
  const groups = await namespacesInside(db, id)
    .limit(FEW + 1)
    .execute();
  const projects = await projectsInside(db, id)
    .limit(FEW + 1)
    .execute();
  if (groups.length + projects.length > FEW) return true;
  return areMoving(
    db,
    projects.map(({ id }) => id),
  );
}

/** Nothing of it is public, nothing is inherited from above, and nobody is a member but the bots, which go with their places. */
async function putAway(uow: UnitOfWork, { id, full_path }: Pick<Group, 'id' | 'full_path'>): Promise<void> {
  await hide(uow, 'group', [id]);
  for await (const piece of routesBelow(uow, id, full_path)) {
    await hide(uow, 'group', idsOf(piece, 'namespace_id'));
    await hide(uow, 'project', idsOf(piece, 'project_id'));
  }
  // Without its former names nobody restores it.
  const alone = { parent_id: null, name_before_deletion: null, path_before_deletion: null };
  await uow.updateTable('namespaces').set(alone).where('id', '=', id).execute();
  await moveClosure(uow, id, null);
}

const idsOf = <Name extends string>(rows: readonly Readonly<Record<Name, number | null>>[], name: Name) =>
  rows.map((row) => row[name]).filter((id) => id !== null);

/** index: memberships_by_source, token_bots primary key; projects, namespaces primary key */
async function hide(uow: UnitOfWork, kind: 'group' | 'project', ids: readonly number[]): Promise<void> {
  await uow
    .deleteFrom('memberships')
    .where('source_type', '=', kind)
    .where(isAmong(uow, sql<number>`memberships.source_id`, ids))
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('token_bots').select('user_id').whereRef('user_id', '=', 'memberships.user_id'))),
    )
    .execute();
  const table = kind === 'group' ? 'namespaces' : 'projects';
  const hidden = { visibility: 'private', updated_at: uow.now } as const;
  await uow
    .updateTable(table)
    .set(hidden)
    .where(isAmong(uow, sql.ref<number>(`${table}.id`), ids))
    .execute();
}

/** index: namespaces primary key */
function isThere(db: Reader, id: number): Promise<boolean> {
  return hasRow(db.selectFrom('namespaces').select('id').where('id', '=', id));
}
