import { type SqlBool, sql } from 'kysely';
import type { UserBasicRow } from '#api/identity/users/index.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paged } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { Kind } from './kind.ts';

interface Asked {
  /** The caller may read comments for members only. */
  readonly internal: boolean;
}

/**
 * One page of its author, those it is assigned to in each of these ways, and who has commented on it, of those comments that
 * the caller may read.
 */
export function listParticipants(
  db: Reader,
  kinds: readonly [Kind, ...Kind[]],
  { id, author_id }: { readonly id: number; readonly author_id: number },
  { internal }: Asked,
  page: OffsetRequest,
): Promise<Page<UserBasicRow>> {
  const thing = sql.ref(kinds[0].id);
  // index: issue_assignees_by_issue, merge_request_assignees_by_merge_request, merge_request_reviewers_by_merge_request
  const assigned = kinds.map(
    ({ assignees }) => sql`select user_id from ${sql.table(assignees)} where ${thing} = ${id}`,
  );
  // index: notes_by_issue_created, notes_by_merge_request_created
  const commented = sql`select author_id from notes where ${thing} = ${id} and system = false`;
  const heard = internal ? commented : sql`${commented} and internal = false`;
  // One list of ids: of several, one or another, PostgreSQL would look at each user there is.
  const among = sql.join([sql`select ${author_id}`, ...assigned, heard], sql` union all `);
  const people = db
    .selectFrom('users')
    .select(['users.id', 'users.username', 'users.name', 'users.public_email', 'users.state', 'users.locked_until'])
    .where(sql<SqlBool>`users.id in (${among})`);
  return paged(db, people.orderBy('users.id'), page);
}
