import type { Insertable, Updateable } from 'kysely';
import type { Issue } from '../../../access/issues.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { type Page, paged } from '../../../database/page.ts';
import type { IssuesTables } from '../../../database/tables/issues.ts';
import type { OffsetRequest } from '../../../http/lists/pagination.ts';
import type { UserBasicRow } from '../../identity/users/index.ts';
import { GAP, type Line, lastPosition } from '../issuables/index.ts';

/** The rows of issues. */

export type NewIssue = Insertable<IssuesTables['issues']>;

export async function insertIssue(tx: Transaction, row: NewIssue): Promise<number> {
  const { id } = await tx.insertInto('issues').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** index: issues primary key */
export async function updateIssueRow(
  tx: Transaction,
  id: number,
  columns: Updateable<IssuesTables['issues']>,
): Promise<void> {
  await tx.updateTable('issues').set(columns).where('id', '=', id).execute();
}

/** In which order people put the issues of a project. */
export const lineOf = (projectId: number): Line => ({ table: 'issues', of: 'project_id', id: projectId });

/** A place behind all of them. */
export async function placeAtEnd(db: Reader, projectId: number): Promise<number> {
  return ((await lastPosition(db, lineOf(projectId))) ?? 0) + GAP;
}

/** One page of its author, its assignees and who has commented on it, of those comments that the caller may read. */
export function listParticipants(
  db: Reader,
  { id, author_id }: Issue,
  { internal }: { readonly internal: boolean },
  page: OffsetRequest,
): Promise<Page<UserBasicRow>> {
  // index: issue_assignees_by_issue
  const assignees = db.selectFrom('issue_assignees').select('user_id').where('issue_id', '=', id);
  // index: notes_by_issue_created
  let commenters = db.selectFrom('notes').select('author_id').where('issue_id', '=', id).where('system', '=', false);
  if (!internal) commenters = commenters.where('internal', '=', false);
  const people = db
    .selectFrom('users')
    .select(['users.id', 'users.username', 'users.name', 'users.public_email', 'users.state', 'users.locked_until'])
    .where((eb) =>
      eb.or([eb('users.id', '=', author_id), eb('users.id', 'in', assignees), eb('users.id', 'in', commenters)]),
    );
  return paged(db, people.orderBy('users.id'), page);
}
