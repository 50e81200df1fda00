import type { MergeRequest } from '#authorization/merge-requests.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { writeCommit } from '#git/commits/commit.ts';
import { mergeCommits } from '#git/commits/merge.ts';
import type { Git } from '#git/git.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { historyWalkLimiter } from '#git/trees/path-entries.ts';
import { getRepository, isAtLocation } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { compareBranches } from './branch-comparison.ts';
import type { MergeSettings } from './mergeability.ts';

// Writes the commits of a merge before any branch refers to them (contract/planning.md §3.8 "Merging").

interface Signature {
  readonly name: string;
  readonly email: string;
}

/** Input of a merge. */
interface MergePlan {
  readonly project: Project;
  readonly mergeRequest: MergeRequest;
  readonly method: MergeSettings['merge_method'];
  /** Head of the target branch, and the merge base. */
  readonly target: string;
  readonly base: string;
  readonly squash: boolean;
  /** The merger, and the author of the merge request. */
  readonly merger: Signature;
  readonly author: Signature;
  /** Messages that replace the default ones. */
  readonly mergeMessage?: string | null | undefined;
  readonly squashMessage?: string | null | undefined;
}

/** Ids of the commits of a merge; null for a commit that the merge does not need. */
export interface MergeCommits {
  /** The new head of the target branch. */
  readonly tip: string;
  readonly mergeCommit: string | null;
  readonly squashCommit: string | null;
}

/** Writes the merge commit and the squash commit, if needed, and returns them. Returns null on conflicts. */
export async function writeMerge(git: Git, plan: MergePlan): Promise<MergeCommits | null> {
  const { mergeRequest, method, squash } = plan;
  const squashCommit = squash ? await writeSquash(git, plan) : null;
  const sourceCommit = squashCommit ?? mergeRequest.head_sha;
  if (method === 'ff') return { tip: sourceCommit, mergeCommit: null, squashCommit };
  const tree = await mergeTrees(git, plan, sourceCommit);
  if (tree === null) return null;
  const { project, target, merger } = plan;
  const message = plan.mergeMessage?.trim() ? plan.mergeMessage : buildDefaultMessage(project, mergeRequest);
  const commit = { tree, parents: [target, sourceCommit], author: merger, committer: merger, message };
  const mergeCommit = await writeCommit(git, getRepository(git, project), commit);
  return { tip: mergeCommit, mergeCommit, squashCommit };
}

/** Writes all changes as one commit on top of the merge base, and returns its id. */
async function writeSquash(git: Git, { project, mergeRequest, base, author, merger, squashMessage }: MergePlan) {
  const message = squashMessage?.trim() ? squashMessage : mergeRequest.title;
  const tree = await readTreeId(git, project, mergeRequest.head_sha);
  const commit = { tree, parents: [base], author, committer: merger, message };
  return writeCommit(git, getRepository(git, project), commit);
}

/** Merges a commit and the target branch and returns the id of the resulting tree, or null on conflicts. */
async function mergeTrees(
  git: Git,
  { project, target, base }: Pick<MergePlan, 'project' | 'target' | 'base'>,
  sourceCommit: string,
): Promise<string | null> {
  // The target branch is an ancestor, so there is nothing to merge.
  if (base === target) return readTreeId(git, project, sourceCommit);
  const mergeResult = await historyWalkLimiter(git).run(
    () => mergeCommits(git, getRepository(git, project), target, sourceCommit),
    git,
  );
  return 'tree' in mergeResult ? mergeResult.tree : null;
}

async function readTreeId(git: Git, project: Project, commit: string): Promise<string> {
  const storedCommit = await readCommit(git, getRepository(git, project), commit);
  if (storedCommit === null)
    throw new Error(`Commit ${commit} does not exist in the repository of project ${project.id}`);
  return storedCommit.treeId;
}

function buildDefaultMessage(
  { full_path }: Project,
  { iid, title, source_branch, target_branch }: MergeRequest,
): string {
  return `Merge branch '${source_branch}' into '${target_branch}'\n\n${title}\n\nSee merge request ${full_path}!${iid}`;
}

/**
 * Writes the commit that merges both branches, without moving a branch. Its committer and time are those of the later parent commit,
 * so that repeated calls return the same commit. Fails while the repository is read-only.
 */
export async function createMergeRef(
  { git, database }: Pick<RefServices, 'git' | 'database'>,
  project: Project,
  mergeRequest: MergeRequest,
): Promise<{ readonly commit_id: string } | Failure<'notMergeable'>> {
  if (mergeRequest.state !== 'opened' || project.read_only) return fail('notMergeable');
  const { head_sha: head } = mergeRequest;
  const { check, target, base } = await compareBranches(git, project, mergeRequest);
  if (check === 'no_commits' || check === 'conflict' || target === null || base === null) return fail('notMergeable');
  const repository = getRepository(git, project);
  const tree = await mergeTrees(git, { project, target, base }, head);
  if (tree === null) return fail('notMergeable');
  const parentCommits = await Promise.all([target, head].map((id) => readCommit(git, repository, id)));
  const [latestCommitter] = parentCommits
    .flatMap((parent) => parent?.committer ?? [])
    .sort((one, other) => other.seconds - one.seconds);
  const { name = '', email = '', seconds = 0 } = latestCommitter ?? {};
  const signer = { name, email, at: { seconds, offset: '+0000' } };
  const message = `Merge ${head} into ${target}`;
  const commit = { tree, parents: [target, head], author: signer, committer: signer, message };
  const commit_id = await writeCommit(git, repository, commit);
  return (await isAtLocation(database.reader, project)) ? { commit_id } : fail('notMergeable');
}
