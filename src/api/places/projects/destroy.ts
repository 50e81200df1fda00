import { deleteMembershipsOf } from '../../../access/memberships.ts';
import { defineJob } from '../../../background/job.ts';
import type { Schedule } from '../../../background/schedules.ts';
import { type Clock, timestamp } from '../../../clock.ts';
import type { Config, Tier } from '../../../config.ts';
import type { Database, Reader, Transaction } from '../../../database/database.ts';
import { type AnySubscription, type FactBus, subscription } from '../../../facts/bus.ts';
import { type Git, repositoryAt } from '../../../git/git.ts';
import { removeRepository } from '../../../git/storage.ts';
import { type AuditEntity, forgetProjectActivity, INSTANCE, recordAudit } from '../../../history/index.ts';
import { type Caller, NOBODY } from '../../../identity/caller.ts';
import { readSettings } from '../../../settings/settings.ts';

interface DestroyingRooms {
  readonly database: Database;
  readonly facts: FactBus;
  readonly config: Pick<Config, 'tier'>;
}

/** Destroys a project with everything below it, at once and for ever. Nothing happens to one that is gone already. */
export async function destroyProject(rooms: DestroyingRooms, caller: Caller, projectId: number): Promise<void> {
  const { facts, config } = rooms;
  await rooms.database.transaction((tx) => destroyProjectIn(tx, { facts, tier: config.tier, caller }, projectId));
}

/** The same as part of a larger change. The repository's directory goes afterwards, in a job. */
export async function destroyProjectIn(
  tx: Transaction,
  { facts, tier, caller }: { readonly facts: FactBus; readonly tier: Tier; readonly caller: Caller },
  projectId: number,
): Promise<void> {
  const doomed = await readDoomed(tx, projectId);
  if (doomed === undefined) return;
  const { storage, disk_path: diskPath } = doomed;
  await facts.publish(tx, 'project-destroyed', { projectId, storage, diskPath });
  await forgetProjectActivity(tx, projectId);
  await deleteMembershipsOf(tx, 'project', [projectId]);
  await recordDestruction(tx, doomed, tier, caller);
  await tx.deleteFrom('projects').where('id', '=', projectId).execute();
}

// index: projects primary key, repositories primary key, routes_by_project, routes_by_namespace
function readDoomed(tx: Transaction, id: number) {
  return tx
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
      'namespaces.kind',
      'namespaces.name as namespace_name',
      'parent.full_path as namespace_path',
    ])
    .where('projects.id', '=', id)
    .executeTakeFirst();
}

type Doomed = NonNullable<Awaited<ReturnType<typeof readDoomed>>>;

/** The log of what is left: the group's, or for personal projects the instance's. */
async function recordDestruction(tx: Transaction, doomed: Doomed, tier: Tier, caller: Caller): Promise<void> {
  const { id, name, full_path, namespace_id, namespace_name, namespace_path } = doomed;
  const group: AuditEntity = { type: 'Group', id: namespace_id, path: namespace_path, tier };
  // A personal project's event would otherwise be the only one of a project that tier free records.
  if (tier === 'free') return;
  await recordAudit(tx, caller, {
    name: 'project_destroyed',
    entity: doomed.kind === 'group' ? group : INSTANCE,
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
  fact: 'project-destroyed',
  afterwards: {
    kind: 'remove_project_repository',
    handle: ({ git }: { readonly git: Git }, { storage, diskPath }) =>
      removeRepository(git, repositoryAt(git, storage, diskPath)),
  },
}) satisfies AnySubscription<{ readonly git: Git }>;

interface ScheduledRooms extends DestroyingRooms {
  readonly clock: Clock;
}

const BATCH = 100;

/** Destroys the projects whose deletion was scheduled `deletion_adjourned_period` days ago or earlier. */
export async function destroyMarkedProjects(rooms: ScheduledRooms): Promise<void> {
  const { reader } = rooms.database;
  const { deletion_adjourned_period: days } = await readSettings(reader);
  const lastDay = dayBefore(timestamp(rooms.clock), days);
  for (;;) {
    const due = await dueProjects(reader, lastDay);
    for (const id of due) await destroyMarked(rooms, NOBODY, id, lastDay);
    if (due.length < BATCH) return;
  }
}

/** Destroys a project that was marked on `lastDay` or before, unless it has been restored meanwhile. */
export async function destroyMarked(
  rooms: DestroyingRooms,
  caller: Caller,
  id: number,
  lastDay: string,
): Promise<void> {
  const { facts, config } = rooms;
  await rooms.database.transaction(async (tx) => {
    // index: projects primary key
    const marked = await tx
      .selectFrom('projects')
      .select('id')
      .where('id', '=', id)
      .where('marked_for_deletion_on', '<=', lastDay)
      .executeTakeFirst();
    if (marked) await destroyProjectIn(tx, { facts, tier: config.tier, caller }, id);
  });
}

// index: projects_by_deletion
async function dueProjects(db: Reader, lastDay: string): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .select('id')
    .where('marked_for_deletion_on', '<=', lastDay)
    .orderBy('marked_for_deletion_on')
    .limit(BATCH)
    .execute();
  return rows.map(({ id }) => id);
}

const DAY_MS = 24 * 60 * 60 * 1000;

function dayBefore(now: string, days: number): string {
  return new Date(Date.parse(now) - days * DAY_MS).toISOString().slice(0, 10);
}

export const destroyMarkedJob = defineJob({
  kind: 'destroy_marked_projects',
  handle: (rooms: ScheduledRooms) => destroyMarkedProjects(rooms),
});

export const destroyMarkedDaily: Schedule<ScheduledRooms> = {
  name: 'destroy_marked_projects',
  cron: '15 1 * * *',
  job: destroyMarkedJob,
};
