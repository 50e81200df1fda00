import { type SqlBool, sql } from 'kysely';
import type { UserBasicRow } from '#api/identity/users/index.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { IssuableTables } from './kind.ts';

interface ParticipantOptions {
  /** The caller may read internal notes. */
  readonly includeInternal: boolean;
}

/**
 * Returns a page of the participants: the author, the assignees (and reviewers) in each of `tables`, and the authors of the comments
 * that the caller may read.
 */
export function listParticipants(
  db: Reader,
  tables: readonly [IssuableTables, ...IssuableTables[]],
  { id, author_id }: { readonly id: number; readonly author_id: number },
  { includeInternal }: ParticipantOptions,
  page: OffsetRequest,
): Promise<Page<UserBasicRow>> {
  const foreignKey = sql.ref(tables[0].foreignKey);
  // index: issue_assignees_by_issue, merge_request_assignees_by_merge_request, merge_request_reviewers_by_merge_request
  const assigneeIds = tables.map(
    ({ assigneeTable }) => sql`select user_id from ${sql.table(assigneeTable)} where ${foreignKey} = ${id}`,
  );
  // index: notes_by_issue_created, notes_by_merge_request_created
  const commenterIds = sql`select author_id from notes where ${foreignKey} = ${id} and system = false`;
  const readableCommenterIds = includeInternal ? commenterIds : sql`${commenterIds} and internal = false`;
  // A single `in` with a union: with several `or` conditions PostgreSQL would scan all users.
  const participantIds = sql.join([sql`select ${author_id}`, ...assigneeIds, readableCommenterIds], sql` union all `);
  const participants = db
    .selectFrom('users')
    .select(['users.id', 'users.username', 'users.name', 'users.public_email', 'users.state', 'users.locked_until'])
    .where(sql<SqlBool>`users.id in (${participantIds})`);
  return paginate(db, participants.orderBy('users.id'), page);
}
