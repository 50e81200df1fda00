import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE, nextBatch } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import { reassignToGhost } from '#events/reassign-to-ghost.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Git, repositoryAt } from '#git/git.ts';
import { deleteRepository } from '#git/storage/storage.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { deleteRow, type Left, type Snippet } from './store.ts';

/** What is left of snippets that were never finished, or are no more. */

type Draft = Pick<Snippet, 'id'> & Left;

/** Removes what there is of a snippet that is not made, or is no more: its row, then its repository. */
export const sweepDraft = defineJob({
  kind: 'sweep_draft_of_snippet',
  handle: (services: Pick<Services, 'database' | 'git'>, draft: Draft) => dropDraft(services, draft),
});

/** The same at once. One that has been made meanwhile stays. */
export async function dropDraft({ database, git }: Pick<Services, 'database' | 'git'>, draft: Draft): Promise<void> {
  const isMade = await database.transaction(
    async (tx) => {
      // index: snippets primary key
      const row = await tx.selectFrom('snippets').select('made').where('id', '=', draft.id).executeTakeFirst();
      if (row?.made !== true) await deleteRow(tx, draft.id);
      return row?.made === true;
    },
    { exemptFromLimit: true },
  );
  if (!isMade) await removeAt(git, draft);
}

export const removeSnippetRepository = defineJob({
  kind: 'remove_snippet_repository',
  handle: ({ git }: Pick<Services, 'git'>, left: Left) => removeAt(git, left),
});

async function removeAt(git: Git, { storage, disk_path }: Left): Promise<void> {
  await deleteRepository(git, repositoryAt(git, storage, disk_path));
}

/** Deletes a snippet; its repository goes in a job. Nothing happens to one that is gone already. */
export async function deleteSnippet(tx: Transaction, id: number): Promise<void> {
  const left = await deleteRow(tx, id);
  if (left !== undefined) await enqueue(tx, removeSnippetRepository, left);
}

/** The snippets of a deleted user stay as the ghost's; with `hard` they go. index: snippets_by_author */
export const giveSnippetsAway = subscription({
  event: 'user-deleted',
  inBatches: (uow, deleted) =>
    nextBatch(() => reassignToGhost(uow, { table: 'snippets', column: 'author_id' }, deleted, deleteSomeOf)),
});

/** How many they were. */
async function deleteSomeOf(uow: UnitOfWork, userId: number): Promise<number> {
  const found = await uow
    .selectFrom('snippets')
    .select('id')
    .where('author_id', '=', userId)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  for (const { id } of found) await deleteSnippet(uow, id);
  return found.length;
}
