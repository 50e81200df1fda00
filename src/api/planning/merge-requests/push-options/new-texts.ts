import { findIssue } from '#authorization/issues.ts';
import type { Columns } from '#database/database.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { listCommitsBetween } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import type { Commit } from '#git/objects/object-parser.ts';
import { readCommit } from '#git/objects/object-reader.ts';
import { findBranchHead } from '#git/refs/revision.ts';
import type { Repository } from '#git/repository.ts';
import type { CompletedPush } from '#repositories/ref-updates/push-options.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { parseClosingIids } from '../closing-issues/closing-keywords.ts';

/** Maximum number of commits, from the oldest, that are searched for a description. */
const MAX_SEARCHED_COMMITS = 100;
const MAX_TITLE_LENGTH = 255;

type MergeRequestTexts = Columns<'merge_requests', 'title' | 'description'>;

interface Branches {
  readonly source: string;
  readonly target: string;
}

/**
 * Returns the default title and description of a merge request that a push creates: from its only commit or the oldest one with a body,
 * else from the issue whose number begins the branch name, else from the branch name. A merge request without commits is a draft.
 * The description closes the issue.
 */
export async function buildNewTexts(
  { database, git }: RefServices,
  { caller, project }: Pick<CompletedPush, 'caller'> & { readonly project: Project },
  branches: Branches,
): Promise<MergeRequestTexts> {
  const { count, commit } = await findDescribingCommit(git, getRepository(git, project), branches);
  const [, iidDigits] = /^(\d{1,9})-/.exec(branches.source) ?? [];
  const issue =
    iidDigits === undefined
      ? null
      : await findIssue(database.forRequest().reader, caller, project.id, Number(iidDigits));
  // The title of a confidential issue must not become public.
  const issueTitle = issue === null || issue.confidential ? undefined : `Resolve "${issue.title}"`;
  const title = (commit?.title ?? issueTitle ?? toTitle(branches.source)).slice(0, MAX_TITLE_LENGTH);
  const body = commit === null ? '' : getBody(commit);
  const closingLine = issue === null || parseClosingIids(body).includes(issue.iid) ? '' : `Closes #${issue.iid}`;
  return {
    title: count === 0 ? `Draft: ${title}`.slice(0, MAX_TITLE_LENGTH) : title,
    description: [body, closingLine].filter((text) => text !== '').join('\n\n') || null,
  };
}

async function findDescribingCommit(
  git: Git,
  repository: Repository,
  { source, target }: Branches,
): Promise<{ readonly count: number; readonly commit: Commit | null }> {
  const [head, start] = [await findBranchHead(repository, source), await findBranchHead(repository, target)];
  if (head === null || start === null) return { count: 0, commit: null };
  const ids = await listCommitsBetween(git, repository, start, head);
  if (ids.length === 1) return { count: 1, commit: await readCommit(git, repository, ids[0]!) };
  for (const id of ids.slice(0, MAX_SEARCHED_COMMITS)) {
    const commit = await readCommit(git, repository, id);
    if (commit !== null && commit.parentIds.length < 2 && getBody(commit) !== '') return { count: ids.length, commit };
  }
  return { count: ids.length, commit: null };
}

/** Returns the message of a commit after its title. */
function getBody({ message }: Commit): string {
  const text = message.trimStart();
  const end = text.indexOf('\n');
  return end < 0 ? '' : text.slice(end).trim();
}

/** Converts the branch name `fix-the_door` to `Fix the door`. */
function toTitle(branch: string): string {
  const words = branch.replace(/[-_]+/g, ' ').trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
