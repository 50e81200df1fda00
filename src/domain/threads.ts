import type { SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';

// Unresolved threads of merge requests (contract/planning.md §3.12).

/** Matches unresolved notes of threads. Has no parameters, so that the partial index applies. */
export const IS_OPEN_THREAD_NOTE = sql<SqlBool>`notes."type" is not null and not notes."system" and notes.resolved_at is null`;

// index: notes_open_by_merge_request
const loadOpenThreads = prepareForIds((db, ids) =>
  db
    .selectFrom('notes')
    .select('notes.merge_request_id')
    .distinct()
    .where('notes.merge_request_id', 'in', ids)
    .where('notes.merge_request_id', 'is not', null)
    .where(IS_OPEN_THREAD_NOTE),
);

/** Returns the ids of the merge requests that have an unresolved thread. */
export async function findMergeRequestsWithOpenThreads(
  db: Reader,
  mergeRequestIds: readonly number[],
): Promise<ReadonlySet<number>> {
  const rows = await loadOpenThreads(db, mergeRequestIds);
  return new Set(rows.flatMap(({ merge_request_id: id }) => id ?? []));
}
