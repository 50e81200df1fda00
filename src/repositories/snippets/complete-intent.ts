import {
  findSnippet,
  MAX_SNIPPET_FILES,
  parseFilePaths,
  type Snippet,
  updateProjectSnippetsSize,
} from '#domain/snippets.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Git, gitForClient } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { RefChange } from '#git/refs/update-refs.ts';
import type { Repository } from '#git/repository.ts';
import { measureObjects } from '#git/storage/maintenance.ts';
import { listTree } from '#git/trees/tree-list.ts';
import { deleteIntent, type Intent } from '../ref-updates/intents.ts';
import { loadActor } from '../ref-updates/ref-update-actor.ts';
import { getRepository } from '../repository.ts';
import type { RefServices } from '../services.ts';

type SnippetIntent = Intent & { readonly snippetId: number };

/** Completes an intent of a snippet's repository: records its files and changed columns, and deletes the intent. */
export async function completeSnippetIntent(
  { database, runUnitOfWork, ...services }: RefServices,
  intent: SnippetIntent,
  movedRefs: readonly RefChange[],
): Promise<void> {
  // Completion must not depend on a client that may have disconnected.
  const git = gitForClient(services.git, null);
  const actor = await loadActor(database.reader, intent.userId);
  for (let isComplete = false; !isComplete; ) {
    const snippet = await findSnippet(database.reader, intent.snippetId);
    const content = await readContent(git, snippet);
    isComplete = await runUnitOfWork(actor, (uow) => recordContent(uow, intent, movedRefs, { snippet, ...content }), {
      lock: `refs of snippet ${intent.snippetId}`,
      exemptFromLimit: true,
    });
  }
}

interface SnippetContent {
  readonly paths: readonly string[];
  readonly size: number;
}

async function readContent(git: Git, snippet: Snippet | null): Promise<SnippetContent> {
  if (snippet === null) return { paths: [], size: 0 };
  const repository = getRepository(git, snippet);
  const head = await findBranchHead(repository, snippet.default_branch);
  return {
    paths: head ? await listSnippetFiles(git, repository, head) : [],
    size: await measureObjects(repository),
  };
}

/** Records the content. Returns false if a concurrent completion has recorded another since it was read. */
async function recordContent(
  uow: UnitOfWork,
  intent: SnippetIntent,
  movedRefs: readonly RefChange[],
  { snippet, paths, size }: SnippetContent & { readonly snippet: Snippet | null },
): Promise<boolean> {
  const current = await findSnippet(uow, intent.snippetId);
  if (current !== null && current.ref_state_version !== snippet?.ref_state_version) return false;
  const deletedIntent = await deleteIntent(uow, intent.id);
  if (deletedIntent === null || movedRefs.length === 0 || current === null) return true;
  // index: snippets primary key
  await uow
    .updateTable('snippets')
    .set({
      ...intent.snippetPatch,
      files: JSON.stringify(sortLikePreviousPaths(parseFilePaths(current), paths)),
      size,
      ref_state_version: current.ref_state_version + 1,
      updated_at: uow.now,
    })
    .where('id', '=', intent.snippetId)
    .execute();
  await updateProjectSnippetsSize(uow, current.project_id);
  await uow.publish('snippet-refs-changed', { snippetId: intent.snippetId });
  return true;
}

/** Returns `paths` in the order of `previousPaths`, so that the first file stays the first one; new files come last. */
function sortLikePreviousPaths(previousPaths: readonly string[], paths: readonly string[]): string[] {
  const remaining = previousPaths.filter((path) => paths.includes(path));
  return [...remaining, ...paths.filter((path) => !remaining.includes(path))];
}

/** Returns the paths of the files of a commit, in git's order; of more than `MAX_SNIPPET_FILES` only the first ones. */
async function listSnippetFiles(git: Git, repository: Repository, commitId: string): Promise<string[]> {
  const commit = await readCommit(git, repository, commitId);
  if (commit === null) return [];
  // A folder precedes its files, so the first entries may contain no file: the list is read whole.
  const entries = await listTree(git, repository, commit.treeId, { isRecursive: true });
  if (entries === null) return [];
  const files = entries.slice(0, entries.length).filter(({ type }) => type === 'blob');
  return files.slice(0, MAX_SNIPPET_FILES).map(({ path }) => path);
}
