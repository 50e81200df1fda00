import { parseStoredAttributes } from '#api/namespaces/projects/index.ts';
import { isSignedIn } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/page.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { loadActor } from '#repositories/ref-updates/ref-update-actor.ts';
import type { RefServices } from '#repositories/services.ts';
import { closeIssueByIid } from './close-issue.ts';

/** Closes the issues of a merge request that was merged into the default branch, as the merger and with their permissions. */
export const closeIssuesAfterMerge = defineJob({
  kind: 'close_issues_of_merge_request',
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
