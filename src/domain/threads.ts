import type { SqlBool } from 'kysely';
import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';

/** The threads of merge requests that are not resolved (contract/planning.md §3.12). */

// Written out, because only so does the index of those few serve.
const IS_OPEN = sql<SqlBool>`notes."type" is not null and not notes."system" and notes.resolved_at is null`;

/** index: notes_open_by_merge_request */
const openNotes = prepareForIds((db, ids) =>
  db
    .selectFrom('notes')
    .select('notes.merge_request_id')
    .distinct()
    .where('notes.merge_request_id', 'in', ids)
    .where('notes.merge_request_id', 'is not', null)
    .where(IS_OPEN),
);

/** Those of these merge requests that have an open thread, by their ids. */
export async function withOpenThreads(db: Reader, mergeRequestIds: readonly number[]): Promise<ReadonlySet<number>> {
  const rows = await openNotes(db, mergeRequestIds);
  return new Set(rows.flatMap(({ merge_request_id: id }) => id ?? []));
}
