import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  insertImportedLabels,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_REVIEWER,
  newTextColumns,
  updateAssignees,
  updateLabels,
} from '../issuables/index.ts';
import { updateClosingIids } from './closing-issues/store.ts';
import { enqueueHeadRefUpdate } from './heads/head-refs.ts';
import { enqueueMergeCheck } from './merging/check-mergeability.ts';
import { insertMergeRequest, insertVersion, type NewMergeRequestRow } from './store.ts';
import type { VersionComparison } from './versions/versions.ts';

/** A new merge request with its iid and relations. */
interface NewMergeRequestWithRelations extends Omit<NewMergeRequestRow, 'head_sha' | 'title_key' | 'description_key'> {
  readonly description: string | null;
  /** Ids of labels, assignees and reviewers. */
  readonly labels: readonly number[];
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly comparison: VersionComparison;
}

/** Inserts a merge request with its relations, without activity. The caller must hold the lock `mergeRequestsLockKey`. */
export async function insertMergeRequestWithRelations(
  uow: UnitOfWork,
  { labels, assignees, reviewers, comparison, ...row }: NewMergeRequestWithRelations,
): Promise<MergeRequest> {
  const { project_id, iid, description } = row;
  const id = await insertMergeRequest(uow, { ...row, ...newTextColumns(row), head_sha: comparison.head });
  await insertVersion(uow, { id, ...comparison });
  if (row.state === 'opened') await enqueueMergeCheck(uow, project_id);
  await enqueueHeadRefUpdate(uow, project_id, [iid]);
  await (row.imported_from === undefined
    ? updateLabels(uow, MERGE_REQUESTS, id, { before: [], after: labels })
    : insertImportedLabels(uow, MERGE_REQUESTS, id, labels));
  await updateAssignees(uow, MERGE_REQUESTS, id, { before: [], after: assignees });
  await updateAssignees(uow, MERGE_REQUESTS_BY_REVIEWER, id, { before: [], after: reviewers });
  await updateClosingIids(uow, { id, project_id, description });
  return (await findMergeRequests(uow, uow.actor, [id]))[0] as MergeRequest;
}
