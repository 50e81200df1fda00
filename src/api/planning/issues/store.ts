import type { Insertable, Updateable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import type { IssuesTables } from '#database/tables/issues.ts';
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

/** What an issue has to do with others its successor has. index: issue_links_by_source, issue_links_by_target */
export async function handOnLinks(tx: Transaction, fromIssueId: number, toIssueId: number): Promise<void> {
  for (const side of ['source_id', 'target_id'] as const) {
    await tx
      .updateTable('issue_links')
      .set({ [side]: toIssueId })
      .where(side, '=', fromIssueId)
      .execute();
  }
}
