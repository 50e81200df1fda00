import { sql } from 'kysely';
import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { type CloseReason, closeIssue } from '#api/planning/issues/index.ts';
import { isSignedIn, type SignedInCaller } from '#authentication/caller.ts';
import { findIssue, mayUpdateIssue } from '#authorization/issues.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { RunUnitOfWork } from '#events/unit-of-work.ts';
import { listCommits } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { readCommits } from '#git/objects/object-reader.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { Repository } from '#git/repository.ts';
import { historyWalkLimiter } from '#git/trees/path-entries.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { parseClosingIids } from './closing-keywords.ts';

/** Closes the issues of a merge request that was merged into the default branch, as the merger and with their permissions. */
export const closeIssuesAfterMerge = defineJob({
  kind: 'close_issues_after_merge',
  async handle({ database, runUnitOfWork }: RefServices, { mergeRequestId }: { readonly mergeRequestId: number }) {
    const db = database.reader;
    const mergedRow = await findMergedRow(db, mergeRequestId);
    const caller = await loadActor(db, mergedRow?.merged_by_id ?? null);
    if (mergedRow === undefined || !isSignedIn(caller)) return;
    const project = await findProject(db, caller, String(mergedRow.project_id));
    if (project === null || project.default_branch !== mergedRow.target_branch) return;
    if (!parseStoredAttributes(project).autoclose_referenced_issues) return;
    const reason = { sourceMergeRequestId: mergeRequestId };
    for (const iid of await listClosingIids(db, mergeRequestId))
      await closeIssueByIid(runUnitOfWork, caller, project, iid, reason);
  },
});

/** Enqueues the job in the unit of work that merges, if the merge request closes any issue. */
export async function enqueueCloseIssues(tx: Transaction, mergeRequestId: number): Promise<void> {
  // index: merge_request_closing_iids_pkey
  const closingIids = tx
    .selectFrom('merge_request_closing_iids')
    .select('issue_iid')
    .where('merge_request_id', '=', mergeRequestId);
  if (await hasRow(closingIids)) await enqueue(tx, closeIssuesAfterMerge, { mergeRequestId });
}

/** index: merge_requests primary key */
function findMergedRow(db: Reader, id: number) {
  return db
    .selectFrom('merge_requests')
    .select(['project_id', 'target_branch', 'merged_by_id'])
    .where('id', '=', id)
    .where('state', '=', 'merged')
    .executeTakeFirst();
}

/** Returns the iids of the issues to close; the issues may not exist. index: merge_request_closing_iids_pkey */
async function listClosingIids(db: Reader, mergeRequestId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_request_closing_iids')
    .select('issue_iid')
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('issue_iid')
    .execute();
  return rows.map(({ issue_iid }) => issue_iid);
}

/** Closes the issue with this iid as the caller, if it exists and they may update it. */
async function closeIssueByIid(
  runUnitOfWork: RunUnitOfWork,
  caller: SignedInCaller,
  project: Project,
  iid: number,
  reason: CloseReason,
): Promise<void> {
  await runUnitOfWork(caller, async (uow) => {
    const issue = await findIssue(uow, caller, project.id, iid);
    if (issue === null || !mayUpdateIssue(caller, project, issue)) return;
    await closeIssue(uow, issue, reason);
  });
}

interface PushedCommits {
  readonly projectId: number;
  readonly userId: number;
  readonly oldId: string;
  readonly newId: string;
  /** The merge request, if a merge pushed the commits. */
  readonly mergeRequestId?: number | undefined;
}

/** Maximum number of newest commits of one push that are read, as in GitLab. */
const MAX_COMMITS = 100;
/** Maximum number of issues that one push closes. */
const MAX_ISSUES = 100;

/**
 * Closes the issues that messages of commits pushed to the default branch close, as the user who pushed and with their permissions.
 * contract/activity.md Part 1
 */
export const closeIssuesByCommits = defineJob({
  kind: 'close_issues_by_commits',
  async handle(
    { database, git, runUnitOfWork }: RefServices,
    { projectId, userId, mergeRequestId, oldId, newId }: PushedCommits,
  ) {
    const caller = await loadActor(database.reader, userId);
    if (!isSignedIn(caller)) return;
    const project = await findProject(database.reader, caller, String(projectId));
    if (project === null || !parseStoredAttributes(project).autoclose_referenced_issues) return;
    const sourceCommitsByIid = await findClosedIids(git, getRepository(git, project), oldId, newId);
    for (const [iid, sourceCommit] of [...sourceCommitsByIid].slice(0, MAX_ISSUES)) {
      const reason = mergeRequestId === undefined ? { sourceCommit } : { sourceMergeRequestId: mergeRequestId };
      await closeIssueByIid(runUnitOfWork, caller, project, iid, reason);
    }
  },
});

/** Enqueues the job in the unit of work that records the push, if the project has open issues. */
export const closeIssuesOnPush = defineSubscription({
  event: 'refs-changed',
  async inTransaction(uow, { projectId, userId, changes, merge }) {
    const branchChanges = changes.filter(({ ref, newId }) => ref.startsWith(HEADS) && newId !== ZERO_ID);
    if (userId === null || branchChanges.length === 0) return;
    const defaultBranch = await findDefaultBranch(uow, projectId);
    const change = branchChanges.find(({ ref }) => ref.slice(HEADS.length) === defaultBranch);
    if (change === undefined) return;
    const { oldId, newId } = change;
    await enqueue(uow, closeIssuesByCommits, {
      projectId,
      userId,
      oldId,
      newId,
      mergeRequestId: merge?.mergeRequestId,
    });
  },
});

/** Returns the default branch of the project, or undefined if it has no open issues. index: repositories primary key, issues_by_project_state */
async function findDefaultBranch(tx: Transaction, projectId: number): Promise<string | undefined> {
  const row = await tx
    .selectFrom('repositories')
    .select('default_branch')
    .where('project_id', '=', projectId)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('issues')
          .select('issues.id')
          .where('issues.project_id', '=', projectId)
          .where('issues.state', '=', sql.lit('opened' as const)),
      ),
    )
    .executeTakeFirst();
  return row?.default_branch;
}

/** Returns the iids of the issues to close, each with the oldest commit that closes it. */
async function findClosedIids(
  git: Git,
  repository: Repository,
  oldId: string,
  newId: string,
): Promise<ReadonlyMap<number, string>> {
  const sourceCommitsByIid = new Map<number, string>();
  for (const commit of await readCommits(git, repository, await listNewCommits(git, repository, oldId, newId))) {
    if (commit === null) continue;
    for (const iid of parseClosingIids(commit.message))
      if (!sourceCommitsByIid.has(iid)) sourceCommitsByIid.set(iid, commit.id);
  }
  return sourceCommitsByIid;
}

/** Returns the new commits, oldest first. Most pushes have one commit, which needs no history walk. */
async function listNewCommits(git: Git, repository: Repository, oldId: string, newId: string): Promise<string[]> {
  const [newestCommit] = await readCommits(git, repository, [newId]);
  if (newestCommit?.parentIds.length === 1 && newestCommit.parentIds[0] === oldId) return [newId];
  const revisions = { include: [newId], exclude: oldId === ZERO_ID ? [] : [oldId] };
  const listNewest = () => listCommits(git, repository, { revisions, limit: MAX_COMMITS });
  return (await historyWalkLimiter(git).run(listNewest, git)).reverse();
}
