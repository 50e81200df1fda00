import type { Insertable, Updateable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { MergeRequestsTables } from '#database/tables/merge-requests.ts';

/** The rows of merge requests and of what hangs on them alone. */

export type NewMergeRequest = Insertable<MergeRequestsTables['merge_requests']>;

export async function insertMergeRequest(tx: Transaction, row: NewMergeRequest): Promise<number> {
  const { id } = await tx.insertInto('merge_requests').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** index: merge_requests primary key */
export async function updateMergeRequestRow(
  tx: Transaction,
  id: number,
  columns: Updateable<MergeRequestsTables['merge_requests']>,
): Promise<void> {
  await tx.updateTable('merge_requests').set(columns).where('id', '=', id).execute();
}

/** What has come to nothing, of one that is open still. index: merge_requests primary key */
export async function tellMergeError(tx: Transaction, id: number, text: string): Promise<void> {
  await tx
    .updateTable('merge_requests')
    .set({ merge_error: text, updated_at: tx.now })
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .execute();
}

/** The open one of this project that brings this branch to that one, if there is any. index: merge_requests_open_by_branches */
export async function openFor(
  db: Reader,
  projectId: number,
  source: string,
  target: string,
): Promise<{ readonly id: number; readonly iid: number } | null> {
  const found = await db
    .selectFrom('merge_requests')
    .select(['id', 'iid'])
    .where('project_id', '=', projectId)
    .where('source_branch', '=', source)
    .where('target_branch', '=', target)
    .where('state', '=', 'opened')
    .executeTakeFirst();
  return found ?? null;
}

/** Of each of these merge requests its latest version. index: merge_request_versions_by_merge_request */
export const latestVersions = prepareForIds((db, ids) =>
  db
    .selectFrom('merge_request_versions')
    .select([
      'merge_request_versions.id',
      'merge_request_versions.merge_request_id',
      'merge_request_versions.state',
      'merge_request_versions.base_commit_sha',
      'merge_request_versions.head_commit_sha',
      'merge_request_versions.start_commit_sha',
      'merge_request_versions.real_size',
    ])
    .where('merge_request_versions.merge_request_id', 'in', ids)
    .where('merge_request_versions.id', '=', (eb) =>
      eb
        .selectFrom('merge_request_versions as later')
        .select((max) => max.fn.max('later.id').as('id'))
        .whereRef('later.merge_request_id', '=', 'merge_request_versions.merge_request_id'),
    ),
);

interface NewVersion {
  /** Of the merge request. */
  readonly id: number;
  readonly head: string;
  /** The tip of the target branch, and the merge base of the two; null: there is none. */
  readonly start: string | null;
  readonly base: string | null;
}

/** What it is compared with from now on; what that changes is looked up later. */
export async function insertVersion(tx: Transaction, { id, head, start, base }: NewVersion): Promise<void> {
  await tx
    .insertInto('merge_request_versions')
    .values({
      merge_request_id: id,
      head_commit_sha: head,
      start_commit_sha: start,
      base_commit_sha: base,
      created_at: tx.now,
    })
    .execute();
}
