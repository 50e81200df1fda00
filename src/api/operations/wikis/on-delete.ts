import { deleteBatch } from '#database/batch-statements.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { repositoryAt } from '#git/git.ts';
import { deleteRepository } from '#git/storage/storage.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import type { RepositoryLocation } from '#repositories/repository.ts';

/** A wiki goes with what it belongs to: its pages piece by piece, its row by the reference, its repository in a job. */

export const removeWikiRepository = defineJob({
  kind: 'remove_wiki_repository',
  handle: ({ git }: Pick<Services, 'git'>, { storage, disk_path }: RepositoryLocation) =>
    deleteRepository(git, repositoryAt(git, storage, disk_path)),
});

type Column = 'project_id' | 'group_id';

// index: wikis_by_project, wikis_by_group
function wikiOf(uow: UnitOfWork, column: Column, id: number) {
  return uow.selectFrom('wikis').select(['wiki_id', 'storage', 'disk_path']).where(column, '=', id).executeTakeFirst();
}

/** index: wiki_pages_by_slug */
async function somePages(uow: UnitOfWork, column: Column, id: number) {
  const wiki = await wikiOf(uow, column, id);
  if (wiki === undefined) return undefined;
  return nextBatch(() => deleteBatch(uow, { table: 'wiki_pages', column: 'wiki_id' }, wiki.wiki_id, BATCH_SIZE));
}

async function repositoryToo(uow: UnitOfWork, column: Column, id: number): Promise<void> {
  const wiki = await wikiOf(uow, column, id);
  if (wiki === undefined) return;
  const { storage, disk_path } = wiki;
  await enqueue(uow, removeWikiRepository, { storage, disk_path });
}

export const endOfProject = subscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) => somePages(uow, 'project_id', projectId),
  inTransaction: (uow, { projectId }) => repositoryToo(uow, 'project_id', projectId),
});

export const endOfGroup = subscription({
  event: 'group-destroyed',
  inBatches: (uow, { groupId }) => somePages(uow, 'group_id', groupId),
  inTransaction: (uow, { groupId }) => repositoryToo(uow, 'group_id', groupId),
});
