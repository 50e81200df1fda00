import type { Insertable, Updateable } from 'kysely';
import type { SignedInCaller } from '#authentication/caller.ts';
import { findIssues, type Issue } from '#authorization/issues.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { requireRow } from '#runtime/failure.ts';
import { findLastPosition, type OrderedList, POSITION_GAP } from '../issuables/index.ts';

/** Returns the issue with this id, as the actor sees it. Throws `RowDeleted` if it does not exist. index: issues primary key */
export async function requireIssue(uow: UnitOfWork<SignedInCaller>, id: number): Promise<Issue> {
  return requireRow((await findIssues(uow, uow.actor, [id]))[0]);
}

/** Inserts an issue and returns its id. */
export async function insertIssue(tx: Transaction, row: Insertable<Schema['issues']>): Promise<number> {
  const { id } = await tx.insertInto('issues').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Updates columns of an issue. index: issues primary key */
export async function updateIssueRow(
  tx: Transaction,
  id: number,
  columns: Updateable<Schema['issues']>,
): Promise<void> {
  await tx.updateTable('issues').set(columns).where('id', '=', id).execute();
}

/** The manual order of a project's issues. */
export const toIssueList = (projectId: number): OrderedList => ({
  table: 'issues',
  parentColumn: 'project_id',
  parentId: projectId,
});

/** Returns a position after all issues of the project. */
export async function nextRelativePosition(db: Reader, projectId: number): Promise<number> {
  return ((await findLastPosition(db, toIssueList(projectId))) ?? 0) + POSITION_GAP;
}

/** Moves the links of an issue to another issue. index: issue_links_by_source, issue_links_by_target */
export async function moveLinks(tx: Transaction, fromIssueId: number, toIssueId: number): Promise<void> {
  for (const sideColumn of ['source_id', 'target_id'] as const) {
    await tx
      .updateTable('issue_links')
      .set({ [sideColumn]: toIssueId })
      .where(sideColumn, '=', fromIssueId)
      .execute();
  }
}
