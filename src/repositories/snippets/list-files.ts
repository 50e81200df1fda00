import { MAX_SNIPPET_FILES } from '#domain/snippets.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import type { Repository } from '#git/repository.ts';
import { listTree } from '#git/trees/tree-list.ts';

/** Returns the paths of the files of a commit, in git's order; of more than `MAX_SNIPPET_FILES` only the first ones. */
export async function listSnippetFiles(git: Git, repository: Repository, commitId: string): Promise<string[]> {
  const commit = await readCommit(git, repository, commitId);
  if (commit === null) return [];
  // A folder precedes its files, so the first entries may contain no file: the list is read whole.
  const entries = await listTree(git, repository, commit.treeId, { isRecursive: true });
  if (entries === null) return [];
  const files = entries.slice(0, entries.length).filter(({ type }) => type === 'blob');
  return files.slice(0, MAX_SNIPPET_FILES).map(({ path }) => path);
}
