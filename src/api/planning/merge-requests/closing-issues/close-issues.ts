import { storedAttributes } from '#api/namespaces/projects/index.ts';
import { isSignedIn } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { hasRow } from '#database/has-row.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { actorOf } from '#repositories/ref-updates/ref-update-actor.ts';
import type { RefServices } from '#repositories/services.ts';
import { closeNamed } from './close-issue.ts';

/** A merge into the default branch closes the issues that its merge request says it closes, in the merger's name and by his rights. */
export const closeIssues = defineJob({
  kind: 'close_issues_of_merge_request',
  async handle({ database, runUnitOfWork }: RefServices, { mergeRequestId }: { readonly mergeRequestId: number }) {
    const db = database.reader;
    const merged = await mergedRow(db, mergeRequestId);
    const by = await actorOf(db, merged?.merged_by_id ?? null);
    if (merged === undefined || !isSignedIn(by)) return;
    const project = await findProject(db, by, String(merged.project_id));
    if (project === null || project.default_branch !== merged.target_branch) return;
    if (!storedAttributes(project).autoclose_referenced_issues) return;
    const because = { sourceMergeRequestId: mergeRequestId };
    for (const iid of await closedBy(db, mergeRequestId)) await closeNamed(runUnitOfWork, by, project, iid, because);
  },
});

/** Part of the act that merges: only where something is named that it closes. */
export async function closeIssuesSoon(tx: Transaction, mergeRequestId: number): Promise<void> {
  // index: merge_request_closing_iids_pkey
  const closing = tx
    .selectFrom('merge_request_closing_iids')
    .select('issue_iid')
    .where('merge_request_id', '=', mergeRequestId);
  if (await hasRow(closing)) await enqueue(tx, closeIssues, { mergeRequestId });
}

/** index: merge_requests primary key */
function mergedRow(db: Reader, id: number) {
  return db
    .selectFrom('merge_requests')
    .select(['project_id', 'target_branch', 'merged_by_id'])
    .where('id', '=', id)
    .where('state', '=', 'merged')
    .executeTakeFirst();
}

/** Numbers of issues that there may or may not be. index: merge_request_closing_iids_pkey */
async function closedBy(db: Reader, mergeRequestId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_request_closing_iids')
    .select('issue_iid')
    .where('merge_request_id', '=', mergeRequestId)
    .orderBy('issue_iid')
    .execute();
  return rows.map(({ issue_iid }) => issue_iid);
}
