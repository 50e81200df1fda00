import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { getRepositoryAt } from '#git/git.ts';
import { deleteRepository } from '#git/storage/storage.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { RepositoryLocation } from '#repositories/repository.ts';
import * as endpoints from './endpoints.ts';

// Deletes the wiki of a destroyed project or group: pages in batches, the row by its foreign key, the repository in a job.

const deleteWikiRepository = defineJob({
  kind: 'delete_wiki_repository',
  handle: ({ git }: Pick<Services, 'git'>, { storage, disk_path }: RepositoryLocation) =>
    deleteRepository(git, getRepositoryAt(git, storage, disk_path)),
});

type OwnerColumn = 'project_id' | 'group_id';

// index: wikis_by_project, wikis_by_group
function findWikiRow(uow: UnitOfWork, column: OwnerColumn, id: number) {
  return uow.selectFrom('wikis').select(['wiki_id', 'storage', 'disk_path']).where(column, '=', id).executeTakeFirst();
}

/** Deletes a batch of the pages of a wiki. index: wiki_pages_by_slug */
async function deletePageBatch(uow: UnitOfWork, column: OwnerColumn, id: number) {
  const wiki = await findWikiRow(uow, column, id);
  if (wiki === undefined) return undefined;
  return runBatchSteps(() => deleteBatch(uow, { table: 'wiki_pages', column: 'wiki_id' }, wiki.wiki_id, BATCH_SIZE));
}

async function enqueueRepositoryDeletion(uow: UnitOfWork, column: OwnerColumn, id: number): Promise<void> {
  const wiki = await findWikiRow(uow, column, id);
  if (wiki === undefined) return;
  const { storage, disk_path } = wiki;
  await enqueue(uow, deleteWikiRepository, { storage, disk_path });
}

const onProjectDestroyed = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) => deletePageBatch(uow, 'project_id', projectId),
  inTransaction: (uow, { projectId }) => enqueueRepositoryDeletion(uow, 'project_id', projectId),
});

const onGroupDestroyed = defineSubscription({
  event: 'group-destroyed',
  inBatches: (uow, { groupId }) => deletePageBatch(uow, 'group_id', groupId),
  inTransaction: (uow, { groupId }) => enqueueRepositoryDeletion(uow, 'group_id', groupId),
});

/**
 * A wiki is a repository. Its row is created by the first write (`repositories/wikis/find-or-create.ts`). All ref updates
 * use the same code path: `repositories/wikis/complete-intent.ts` publishes the page changes, and page ids are permanent.
 * `http/access/git-rules.ts` checks the access of git clients; `code/git-http/` receives pushes.
 */
export const wikis = resourceModule({
  endpoints,
  jobs: [deleteWikiRepository],
  subscriptions: [onProjectDestroyed, onGroupDestroyed],
});
