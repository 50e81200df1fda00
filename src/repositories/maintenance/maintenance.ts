import type { Transaction } from '#database/database.ts';
import { findSnippet, isReadOnlySnippet, updateProjectSnippetsSize } from '#domain/snippets.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { Git } from '#git/git.ts';
import { removeStaleRepositoryLocks } from '#git/refs/stale-locks.ts';
import type { Repository } from '#git/repository.ts';
import { getMaintenanceNeeds, measureObjects, packRefs, repack, writeCommitGraph } from '#git/storage/maintenance.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { incrementRefVersion } from '../ref-updates/complete-intent.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { enqueueSummary, refreshSummary } from './summary.ts';

// Maintenance of repositories: commit graph, packed refs, packs. It may run during reads and pushes.

/** Delay after a change in milliseconds, so that a burst of pushes causes one maintenance run. */
export const MAINTENANCE_DELAY_MS = 30_000;
/** Number of repositories per query. */
const BATCH_SIZE = 200;

/** Runs the maintenance that a project's repository needs. */
export const maintainRepository = defineJob({
  kind: 'maintain_repository',
  async handle(services: RefServices, { projectId }: { readonly projectId: number }) {
    const { database, git } = services;
    const location = await database.reader
      .selectFrom('repositories')
      .select(['storage', 'disk_path', 'default_branch', 'move_id'])
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    if (location === undefined) return;
    // During a move to another storage, maintenance is postponed until the repository is there.
    if (location.move_id !== null) return postponeMaintenance(services, projectId);
    const isRepacked = await runMaintenance(git, getRepository(git, location));
    if (isRepacked) await refreshSummary(services, projectId);
  },
});

/** Runs the maintenance that a repository needs. Returns whether it was repacked. */
export async function runMaintenance(git: Git, repository: Repository): Promise<boolean> {
  await removeStaleRepositoryLocks(git, repository);
  const needs = await getMaintenanceNeeds(repository);
  if (needs.packRefs) await packRefs(git, repository);
  if (needs.repack) await repack(git, repository, needs.repack);
  if (needs.commitGraph) await writeCommitGraph(git, repository);
  return Boolean(needs.repack);
}

/** Delay in milliseconds while a repository is being moved to another storage. */
const MOVING_DELAY_MS = 10 * 60_000;

function postponeMaintenance({ database }: RefServices, projectId: number): Promise<void> {
  return database.transaction((tx) =>
    enqueue(
      tx,
      maintainRepository,
      { projectId },
      { key: String(projectId), runAt: addMilliseconds(tx.now, MOVING_DELAY_MS) },
    ),
  );
}

/** Enqueues maintenance after each ref change, unless it is enqueued already. */
export const maintainAfterRefChanges = defineSubscription({
  event: 'refs-changed',
  inTransaction: (uow, { projectId }) =>
    enqueue(
      uow,
      maintainRepository,
      { projectId },
      { key: String(projectId), runAt: addMilliseconds(uow.now, MAINTENANCE_DELAY_MS) },
    ),
});

/** Repacks each repository weekly and removes unreachable objects. */
export const fullMaintenance = defineJob({
  kind: 'maintain_all_repositories',
  async handle(services: RefServices) {
    const { database, git } = services;
    for (let afterId = 0; ; ) {
      // index: repositories primary key
      const rows = await database.reader
        .selectFrom('repositories')
        .select(['project_id', 'storage', 'disk_path', 'default_branch'])
        .where('project_id', '>', afterId)
        .where('empty', '=', false)
        // A repository that is being moved to another storage is left to the next week.
        .where('move_id', 'is', null)
        .orderBy('project_id')
        .limit(BATCH_SIZE)
        .execute();
      for (const row of rows) {
        const repository = getRepository(git, row);
        await removeStaleRepositoryLocks(git, repository);
        await repack(git, repository, 'full');
        await writeCommitGraph(git, repository);
        await refreshSummary(services, row.project_id);
      }
      afterId = rows.at(-1)?.project_id ?? afterId;
      if (rows.length < BATCH_SIZE) return;
    }
  },
});

export const fullMaintenanceWeekly = { name: 'maintain_all_repositories', cron: '20 4 * * 0', job: fullMaintenance };

/** Updates the row after refs were imported without a push: caches are invalidated, no events are published. */
export async function recordBulkRefUpdate(tx: Transaction, projectId: number): Promise<void> {
  await incrementRefVersion(tx, projectId);
  await enqueueSummary(tx, projectId);
  await enqueue(
    tx,
    maintainRepository,
    { projectId },
    { key: String(projectId), runAt: addMilliseconds(tx.now, MAINTENANCE_DELAY_MS) },
  );
}

/** Maintenance of snippet repositories, as for projects. Their sizes are stored in their rows. */
export const maintainSnippet = defineJob({
  kind: 'maintain_snippet',
  async handle({ database, git }: RefServices, { snippetId }: { readonly snippetId: number }) {
    const snippet = await findSnippet(database.reader, snippetId);
    // A snippet that is being moved to another storage is maintained after its next change.
    if (snippet === null || isReadOnlySnippet(snippet)) return;
    const repository = getRepository(git, snippet);
    await runMaintenance(git, repository);
    const size = await measureObjects(repository);
    // Only if the snippet has not been moved meanwhile. index: snippets primary key
    await database.transaction(async (tx) => {
      await tx
        .updateTable('snippets')
        .set({ size })
        .where('id', '=', snippetId)
        .where('disk_path', '=', snippet.disk_path)
        .execute();
      await updateProjectSnippetsSize(tx, snippet.project_id);
    });
  },
});

/** Enqueues maintenance after each ref change, unless it is enqueued already. */
export const maintainSnippetAfterRefChanges = defineSubscription({
  event: 'snippet-refs-changed',
  inTransaction: (uow, { snippetId }) =>
    enqueue(
      uow,
      maintainSnippet,
      { snippetId },
      { key: String(snippetId), runAt: addMilliseconds(uow.now, MAINTENANCE_DELAY_MS) },
    ),
});
