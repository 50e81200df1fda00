import { findSnippet, parseFilePaths, type Snippet } from '#domain/snippets.ts';
import { gitForClient } from '#git/git.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import { measureObjects } from '#git/storage/objects-size.ts';
import { deleteIntent, type Intent } from '../ref-updates/intents.ts';
import { loadActor } from '../ref-updates/ref-update-actor.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';
import { listSnippetFiles } from './list-files.ts';

type SnippetIntent = Intent & { readonly snippetId: number };

/** Completes an intent of a snippet's repository: records its files and changed columns, and deletes the intent. */
export async function completeSnippetIntent(
  { database, runUnitOfWork, ...services }: RefServices,
  intent: SnippetIntent,
  movedRefs: readonly RefChange[],
): Promise<void> {
  // Completion must not depend on a client that may have disconnected.
  const git = gitForClient(services.git, null);
  const snippet = await findSnippet(database.reader, intent.snippetId);
  const repository = snippet && getRepository(git, snippet);
  const head = repository && (await findBranchHead(repository, (snippet as Snippet).default_branch));
  const paths = repository && head ? await listSnippetFiles(git, repository, head) : [];
  const size = repository ? await measureObjects(repository) : 0;
  const actor = await loadActor(database.reader, intent.userId);
  await runUnitOfWork(
    actor,
    async (uow) => {
      const deletedIntent = await deleteIntent(uow, intent.id);
      const current = await findSnippet(uow, intent.snippetId);
      if (deletedIntent === null || movedRefs.length === 0 || current === null) return;
      // index: snippets primary key
      await uow
        .updateTable('snippets')
        .set({
          ...intent.snippetPatch,
          files: JSON.stringify(sortLikeBefore(parseFilePaths(current), paths)),
          size,
          ref_state_version: current.ref_state_version + 1,
          updated_at: uow.now,
        })
        .where('id', '=', intent.snippetId)
        .execute();
      await uow.publish('snippet-refs-changed', { snippetId: intent.snippetId });
    },
    { lock: `refs of snippet ${intent.snippetId}`, exemptFromLimit: true },
  );
}

/** Returns `paths` in the order of `before`, so that the first file stays the first one; new files come last. */
function sortLikeBefore(before: readonly string[], paths: readonly string[]): string[] {
  const remaining = before.filter((path) => paths.includes(path));
  return [...remaining, ...paths.filter((path) => !remaining.includes(path))];
}
