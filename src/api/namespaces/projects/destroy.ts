import { deleteProjectActivity, INSTANCE } from '#activity/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { deleteMembershipsOfSources } from '#domain/members/memberships.ts';
import { MORE, recheckNothing, runInBatches } from '#events/batches.ts';
import { type AnySubscription, defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Git, getRepositoryAt } from '#git/git.ts';
import { deleteRepository } from '#git/storage/storage.ts';
import type { Services } from '#http/services.ts';
import { defineJob } from '#jobs/job.ts';
import type { Schedule } from '#jobs/schedules.ts';
import { addDays } from '#runtime/clock.ts';
import { loadSettings } from '#settings/settings.ts';

/**
 * Destroys a project with everything below it; does nothing if it no longer exists. A job deletes the repository's
 * directory afterwards.
 */
export async function destroyProject(uow: UnitOfWork, projectId: number): Promise<void> {
  const project = await findProjectToDestroy(uow, projectId);
  if (project === undefined) return;
  assertNotMoving(project);
  await uow.publish('project-destroyed', buildEventPayload(project));
  await deleteProjectActivity(uow, projectId);
  await deleteMembershipsOfSources(uow, 'project', [projectId]);
  await recordDestruction(uow, project);
  await uow.deleteFrom('projects').where('id', '=', projectId).execute();
}

/**
 * Destroys the next batch of a project; returns `MORE` while rows remain. After the first batch the project cannot be restored. If
 * the process stops, the daily job for marked projects destroys the rest. Before each batch, callers check that the project must
 * still be deleted or that `isDestructionStarted`.
 */
export async function destroyProjectBatch(uow: UnitOfWork, projectId: number): Promise<typeof MORE | undefined> {
  const project = await findProjectToDestroy(uow, projectId);
  if (project === undefined) return undefined;
  assertNotMoving(project);
  if (await uow.publishBatch('project-destroyed', buildEventPayload(project))) {
    await preventRestore(uow, projectId);
    return MORE;
  }
  await destroyProject(uow, projectId);
  return undefined;
}

/** Values that prevent a restore (no former name and path) and make the project due for deletion immediately. */
const UNRESTORABLE = {
  marked_for_deletion_on: '1970-01-01',
  name_before_deletion: null,
  path_before_deletion: null,
} as const;

// index: projects primary key
async function preventRestore(uow: UnitOfWork, projectId: number): Promise<void> {
  await uow
    .updateTable('projects')
    .set({ ...UNRESTORABLE, archived: true })
    .where('id', '=', projectId)
    .execute();
}

/** Returns whether a batch of the project was destroyed, after which the rest must be destroyed too. index: projects primary key */
export function isDestructionStarted(db: Reader, projectId: number): Promise<boolean> {
  const projectQuery = db.selectFrom('projects').select('id').where('id', '=', projectId);
  return hasRow(projectQuery.where('marked_for_deletion_on', '=', UNRESTORABLE.marked_for_deletion_on));
}

/** Thrown if the project's repository is being moved to another storage. Retry later. */
export class RepositoryMoveInProgress extends Error {
  constructor(projectId: number) {
    super(`The repository of project ${projectId} is being moved`);
    this.name = 'RepositoryMoveInProgress';
  }
}

function assertNotMoving({ id, move_id }: ProjectToDestroy): void {
  if (move_id !== null) throw new RepositoryMoveInProgress(id);
}

/** Returns whether a repository of these projects is being moved to another storage. index: repositories primary key */
export function hasRepositoryMove(db: Reader, projectIds: readonly number[]): Promise<boolean> {
  if (projectIds.length === 0) return Promise.resolve(false);
  const movingRepositories = db.selectFrom('repositories').select('project_id').where('move_id', 'is not', null);
  return hasRow(movingRepositories.where('project_id', 'in', projectIds));
}

const buildEventPayload = ({ id, storage, disk_path }: ProjectToDestroy) => ({
  projectId: id,
  storage,
  diskPath: disk_path,
});

// index: projects primary key, repositories primary key, routes_by_project, routes_by_namespace
function findProjectToDestroy(db: Reader, id: number) {
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

type ProjectToDestroy = NonNullable<Awaited<ReturnType<typeof findProjectToDestroy>>>;

/** Records the event in the group's audit log, or in the instance's for personal projects. */
async function recordDestruction(uow: UnitOfWork, project: ProjectToDestroy): Promise<void> {
  // The free tier has no audit events of projects. Without this check, it would record those of personal projects in the log of the
  // instance.
  if (uow.tier === 'free') return;
  const { id, name, full_path, namespace_id, namespace_name, namespace_path } = project;
  await uow.record({
    name: 'project_destroyed',
    entity: project.kind === 'group' ? { type: 'Group', id: namespace_id, path: namespace_path } : INSTANCE,
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

/** Deletes the repository of a destroyed project. */
export const deleteRepositoryOfProject = defineSubscription({
  event: 'project-destroyed',
  inBackground: {
    kind: 'delete_project_repository',
    handle: ({ git }: { readonly git: Git }, { storage, diskPath }) =>
      deleteRepository(git, getRepositoryAt(git, storage, diskPath)),
  },
}) satisfies AnySubscription<{ readonly git: Git }>;

/** Number of due projects that one query returns. */
const BATCH_SIZE = 100;

/** Destroys the projects whose deletion was scheduled at least `deletion_adjourned_period` days ago. */
export const destroyMarkedProjects = defineJob({
  kind: 'destroy_marked_projects',
  async handle({ database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>) {
    const { reader } = database;
    const { deletion_adjourned_period: days } = await loadSettings(reader);
    const cutoffDate = addDays(reader.today, -days);
    for (;;) {
      const dueProjectIds = await findDueProjectIds(reader, cutoffDate);
      for (const id of dueProjectIds) {
        await runInBatches(runUnitOfWork, ANONYMOUS, {
          recheck: recheckNothing,
          runBatch: (uow) => destroyMarkedProjectBatch(uow, id, cutoffDate),
        });
      }
      if (dueProjectIds.length < BATCH_SIZE) return;
    }
  },
});

/** Runs at night. */
export const destroyMarkedProjectsDaily: Schedule<Services> = {
  name: 'destroy_marked_projects',
  cron: '15 1 * * *',
  job: destroyMarkedProjects,
};

/**
 * Destroys a batch of a project that was marked on `cutoffDate` or before, unless it was restored meanwhile or its
 * repository is being moved.
 */
export async function destroyMarkedProjectBatch(
  uow: UnitOfWork,
  id: number,
  cutoffDate: string,
): Promise<typeof MORE | undefined> {
  // index: projects primary key, repositories primary key
  const markedProject = await uow
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select('projects.id')
    .where('projects.id', '=', id)
    .where('marked_for_deletion_on', '<=', cutoffDate)
    .where('repositories.move_id', 'is', null)
    .executeTakeFirst();
  return markedProject && destroyProjectBatch(uow, id);
}

// index: projects_by_deletion, repositories primary key
async function findDueProjectIds(db: Reader, cutoffDate: string): Promise<number[]> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select('projects.id')
    // Projects whose repository is being moved are destroyed later.
    .where('repositories.move_id', 'is', null)
    .where('marked_for_deletion_on', '<=', cutoffDate)
    .orderBy('marked_for_deletion_on')
    .limit(BATCH_SIZE)
    .execute();
  return rows.map(({ id }) => id);
}
