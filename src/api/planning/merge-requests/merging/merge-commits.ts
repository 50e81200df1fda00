import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { mergeCommits } from '#git/commits/merge.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { walks } from '#git/trees/path-entries.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { MergeSettings } from './mergeability.ts';

/** The commits of a merge: written and durable, and no branch has them yet (contract/planning.md §3.8 "Merging"). */

interface Person {
  readonly name: string;
  readonly email: string;
}

export interface Merging {
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
  readonly method: MergeSettings['merge_method'];
  /** Where the target branch is, and where the head parted from it. */
  readonly target: string;
  readonly base: string;
  readonly squash: boolean;
  /** Who merges, and whose changes it are. */
  readonly merger: Person;
  readonly author: Person;
  /** In place of the usual ones. */
  readonly mergeMessage?: string | null | undefined;
  readonly squashMessage?: string | null | undefined;
}

export interface MergeCommits {
  /** Where the target branch shall go. */
  readonly tip: string;
  readonly mergeCommit: string | null;
  readonly squashCommit: string | null;
}

/** Null: both sides changed the same. */
export async function writeMerge(git: Git, merging: Merging): Promise<MergeCommits | null> {
  const { mergeRequest, method, squash } = merging;
  const squashCommit = squash ? await writeSquash(git, merging) : null;
  const side = squashCommit ?? mergeRequest.head_sha;
  if (method === 'ff') return { tip: side, mergeCommit: null, squashCommit };
  const tree = await mergedTree(git, merging, side);
  if (tree === null) return null;
  const { project, target, merger } = merging;
  const message = merging.mergeMessage?.trim() ? merging.mergeMessage : usualMessage(project, mergeRequest);
  const commit = { tree, parents: [target, side], author: merger, committer: merger, message };
  const mergeCommit = await writeCommit(git, repositoryOf(git, project), commit);
  return { tip: mergeCommit, mergeCommit, squashCommit };
}

/** All its changes in one commit, on top of where it began. */
async function writeSquash(git: Git, { project, mergeRequest, base, author, merger, squashMessage }: Merging) {
  const message = squashMessage?.trim() ? squashMessage : mergeRequest.title;
  const tree = await treeOf(git, project, mergeRequest.head_sha);
  const commit = { tree, parents: [base], author, committer: merger, message };
  return writeCommit(git, repositoryOf(git, project), commit);
}

/** What comes of bringing a side and the target branch together; null: both changed the same. */
export async function mergedTree(
  git: Git,
  { project, target, base }: Pick<Merging, 'project' | 'target' | 'base'>,
  side: string,
): Promise<string | null> {
  // The target branch has nothing that the other side has not.
  if (base === target) return treeOf(git, project, side);
  const merged = await walks(git).enter(() => mergeCommits(git, repositoryOf(git, project), target, side), git);
  return 'tree' in merged ? merged.tree : null;
}

async function treeOf(git: Git, project: Project, commit: string): Promise<string> {
  const found = await readCommit(git, repositoryOf(git, project), commit);
  if (found === null) throw new Error(`The commit ${commit} is gone`);
  return found.treeId;
}

function usualMessage({ full_path }: Project, { iid, title, source_branch, target_branch }: MergeRequest): string {
  return `Merge branch '${source_branch}' into '${target_branch}'\n\n${title}\n\nSee merge request ${full_path}!${iid}`;
}
