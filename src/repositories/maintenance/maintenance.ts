import type { Transaction } from '#database/database.ts';
import { subscription } from '#events/event-bus.ts';
import type { Git } from '#git/git.ts';
import { removeStaleLocksOf } from '#git/refs/stale-locks.ts';
import type { Repository } from '#git/repository.ts';
import { needsUpkeep, packRefs, repack, writeCommitGraph } from '#git/storage/maintenance.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { momentAfter } from '#runtime/clock.ts';
import { raiseVersion } from '../ref-updates/complete-intent.ts';
import { repositoryOf } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { refreshSummary, summarizeSoon } from './summary.ts';

/** Keeping repositories quick to read: commit-graph, packed refs, packs. All of it may run while others read and push. */

/** A repository rests for so long after a change, so that a burst of pushes costs one upkeep. */
export const REST_MS = 30_000;
const BATCH = 200;

export const upkeep = defineJob({
  kind: 'repository_upkeep',
  async handle(services: RefServices, { projectId }: { readonly projectId: number }) {
    const { database, git } = services;
    const place = await database.reader
      .selectFrom('repositories')
      .select(['storage', 'disk_path', 'default_branch', 'move_id'])
      .where('project_id', '=', projectId)
      .executeTakeFirst();
    if (place === undefined) return;
    // What is on its way to another storage is kept in order there.
    if (place.move_id !== null) return upkeepLater(services, projectId);
    const isRepacked = await keepInOrder(git, repositoryOf(git, place));
    if (isRepacked) await refreshSummary(services, projectId);
  },
});

/** What a repository needs now; says whether its packs are others. */
export async function keepInOrder(git: Git, repository: Repository): Promise<boolean> {
  await removeStaleLocksOf(git, repository);
  const need = await needsUpkeep(repository);
  if (need.packRefs) await packRefs(git, repository);
  if (need.repack) await repack(git, repository, need.repack);
  if (need.commitGraph) await writeCommitGraph(git, repository);
  return Boolean(need.repack);
}

/** Chosen: so long upkeep rests of a repository that is moving. */
const MOVING_REST_MS = 10 * 60_000;

function upkeepLater({ database }: RefServices, projectId: number): Promise<void> {
  return database.transaction((tx) =>
    enqueue(tx, upkeep, { projectId }, { key: String(projectId), runAt: momentAfter(tx.now, MOVING_REST_MS) }),
  );
}

/** Every change of refs asks for it; while one waits, no more is added. */
export const upkeepAfterChanges = subscription({
  event: 'refs-changed',
  inTransaction: (uow, { projectId }) =>
    enqueue(uow, upkeep, { projectId }, { key: String(projectId), runAt: momentAfter(uow.now, REST_MS) }),
});

/** Once a week each repository is packed whole, and what nobody reaches any more is sorted out. */
export const fullUpkeep = defineJob({
  kind: 'full_repository_upkeep',
  async handle(services: RefServices) {
    const { database, git } = services;
    for (let after = 0; ; ) {
      // index: repositories primary key
      const places = await database.reader
        .selectFrom('repositories')
        .select(['project_id', 'storage', 'disk_path', 'default_branch'])
        .where('project_id', '>', after)
        .where('empty', '=', false)
        .where('move_id', 'is', null)
        .orderBy('project_id')
        .limit(BATCH)
        .execute();
      for (const place of places) {
        const repository = repositoryOf(git, place);
        await removeStaleLocksOf(git, repository);
        await repack(git, repository, 'full');
        await writeCommitGraph(git, repository);
        await refreshSummary(services, place.project_id);
      }
      after = places.at(-1)?.project_id ?? after;
      if (places.length < BATCH) return;
    }
  },
});

export const fullUpkeepWeekly = { name: 'full_repository_upkeep', cron: '20 4 * * 0', job: fullUpkeep };

/** Refs have come without being pushed, while nobody could push: what is remembered of them is old, and nobody is told. */
export async function refsCameInBulk(tx: Transaction, projectId: number): Promise<void> {
  await raiseVersion(tx, projectId);
  await summarizeSoon(tx, projectId);
  await enqueue(tx, upkeep, { projectId }, { key: String(projectId), runAt: momentAfter(tx.now, REST_MS) });
}
