import { findSnippet, isReadOnlySnippet, updateProjectSnippetsSize } from '#domain/snippets.ts';
import { defineSubscription } from '#events/event-bus.ts';
import { measureObjects } from '#git/storage/maintenance.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import { MAINTENANCE_DELAY_MS, runMaintenance } from '../maintenance/maintenance.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

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
