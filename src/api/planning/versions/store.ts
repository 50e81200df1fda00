import type { Reader } from '#database/database.ts';
import { paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/** index: merge_request_versions_by_merge_request */
function selectVersions(db: Reader, mergeRequestId: number) {
  return db
    .selectFrom('merge_request_versions')
    .select(['id', 'merge_request_id', 'state', 'real_size', 'patch_id_sha', 'created_at'])
    .select(['base_commit_sha', 'head_commit_sha', 'start_commit_sha'])
    .where('merge_request_id', '=', mergeRequestId);
}

export type VersionRow = Awaited<ReturnType<typeof listVersions>>['items'][number];

/** Returns one page of the versions of a merge request, newest first. */
export function listVersions(db: Reader, mergeRequestId: number, page: OffsetRequest) {
  return paginate(db, selectVersions(db, mergeRequestId).orderBy('merge_request_versions.id', 'desc'), page);
}

/** Returns the version with this id if it belongs to the merge request, else null. */
export async function findVersion(db: Reader, mergeRequestId: number, id: number): Promise<VersionRow | null> {
  return (await selectVersions(db, mergeRequestId).where('id', '=', id).executeTakeFirst()) ?? null;
}
