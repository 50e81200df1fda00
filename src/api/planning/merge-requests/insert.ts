import { findMergeRequests, type MergeRequest } from '#authorization/merge-requests.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { assign, label, labelImported, MERGE_REQUESTS, newTexts, REVIEWED } from '../issuables/index.ts';
import { keepClosed } from './closing-issues/store.ts';
import { keepHeadsSoon } from './heads/head-refs.ts';
import { checkSoon } from './merging/check-mergeability.ts';
import { insertMergeRequest, insertVersion, type NewMergeRequest } from './store.ts';
import type { Span } from './versions/versions.ts';

/** All that a new merge request is, its number too. */
interface Added extends Omit<NewMergeRequest, 'head_sha' | 'title_key' | 'description_key'> {
  readonly description: string | null;
  /** The ids of its labels, and of whom it is assigned to. */
  readonly labels: readonly number[];
  readonly assignees: readonly number[];
  readonly reviewers: readonly number[];
  readonly compared: Span;
}

/** Adds a merge request, of which nobody has heard yet; in the turn of those who do. */
export async function addMergeRequest(
  uow: UnitOfWork,
  { labels, assignees, reviewers, compared, ...row }: Added,
): Promise<MergeRequest> {
  const { project_id, iid, description } = row;
  const id = await insertMergeRequest(uow, { ...row, ...newTexts(row), head_sha: compared.head });
  await insertVersion(uow, { id, ...compared });
  if (row.state === 'opened') await checkSoon(uow, project_id);
  await keepHeadsSoon(uow, project_id, [iid]);
  await (row.imported_from === undefined
    ? label(uow, MERGE_REQUESTS, id, { before: [], now: labels })
    : labelImported(uow, MERGE_REQUESTS, id, labels));
  await assign(uow, MERGE_REQUESTS, id, { before: [], now: assignees });
  await assign(uow, REVIEWED, id, { before: [], now: reviewers });
  await keepClosed(uow, { id, project_id, description });
  return (await findMergeRequests(uow, uow.actor, [id]))[0] as MergeRequest;
}
