import { deleteTargetActivity } from '#activity/index.ts';
import type { Transaction } from '#database/database.ts';
import { type Snippet, updateProjectSnippetsSize } from '#domain/snippets.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Git, getRepositoryAt } from '#git/git.ts';
import { deleteRepository } from '#git/storage/storage.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { deleteSnippetRow, type SnippetRepositoryLocation } from './store.ts';

/** A snippet whose creation has not completed. */
type Draft = Pick<Snippet, 'id'> & SnippetRepositoryLocation;

/** Deletes a snippet whose creation did not complete: its row, then its repository. */
export const deleteStaleDraft = defineJob({
  kind: 'delete_stale_snippet_draft',
  handle: (services: Pick<Services, 'database' | 'git'>, draft: Draft) => deleteDraft(services, draft),
});

/** Deletes a draft immediately, unless its creation has completed meanwhile. */
export async function deleteDraft({ database, git }: Pick<Services, 'database' | 'git'>, draft: Draft): Promise<void> {
  const isComplete = await database.transaction(
    async (tx) => {
      // index: snippets primary key
      const row = await tx
        .selectFrom('snippets')
        .select('repository_created')
        .where('id', '=', draft.id)
        .executeTakeFirst();
      // The size of a draft is not counted yet, so the total size of the snippets of its project does not change.
      if (row?.repository_created !== true) await deleteSnippetRow(tx, draft.id);
      return row?.repository_created === true;
    },
    { exemptFromLimit: true },
  );
  if (!isComplete) await deleteRepositoryAt(git, draft);
}

/** Deletes the repository of a deleted snippet. */
export const deleteSnippetRepository = defineJob({
  kind: 'delete_snippet_repository',
  handle: ({ git }: Pick<Services, 'git'>, location: SnippetRepositoryLocation) => deleteRepositoryAt(git, location),
});

async function deleteRepositoryAt(git: Git, { storage, disk_path }: SnippetRepositoryLocation): Promise<void> {
  await deleteRepository(git, getRepositoryAt(git, storage, disk_path));
}

/** Deletes a snippet if it exists, with its notes; a job deletes its repository. */
export async function deleteSnippet(tx: Transaction, id: number): Promise<void> {
  await updateProjectSnippetsSize(tx, await deleteSnippetWithNotes(tx, id));
}

/** Deletes a snippet if it exists, with its notes, and returns its project. A job deletes its repository. */
async function deleteSnippetWithNotes(tx: Transaction, id: number): Promise<number | null> {
  // index: notes_by_snippet_created
  const notes = await tx.selectFrom('notes').select('id').where('snippet_id', '=', id).execute();
  const noteIds = notes.map((note) => note.id);
  await deleteTargetActivity(tx, 'Note', noteIds);
  const deletedRow = await deleteSnippetRow(tx, id);
  if (deletedRow === undefined) return null;
  const { project_id, ...location } = deletedRow;
  await enqueue(tx, deleteSnippetRepository, location);
  return project_id;
}

/** Deletes the snippets of a user who is deleted with their contributions. index: snippets_by_author */
export const onUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: async (uow, { userId, hard }) =>
    hard ? runBatchSteps(() => deleteSnippetBatch(uow, 'author_id', userId)) : undefined,
});

/** Deletes the snippets of a deleted project, with their repositories. index: snippets_by_project */
export const onProjectDestroyed = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) => runBatchSteps(() => deleteSnippetBatch(uow, 'project_id', projectId)),
});

/** Deletes a batch of the snippets of a user or project. Returns the number of deleted snippets. */
async function deleteSnippetBatch(
  uow: UnitOfWork,
  column: 'author_id' | 'project_id',
  ownerId: number,
): Promise<number> {
  const snippetIds = await uow
    .selectFrom('snippets')
    .select('id')
    .where(column, '=', ownerId)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  const projectIds = new Set<number | null>();
  for (const { id } of snippetIds) projectIds.add(await deleteSnippetWithNotes(uow, id));
  // The size is updated once per project, because that reads all snippets of the project.
  for (const projectId of projectIds) await updateProjectSnippetsSize(uow, projectId);
  return snippetIds.length;
}
