import type { Reader, Transaction } from '#database/database.ts';
import { prepareForIds } from '#database/prepare.ts';
import { type IssuableTables, memoizeByTables } from './kind.ts';
import { type SetChange, updateLinks } from './link-tables.ts';

/** Loads the assignees of these issuables, in the order of assignment. */
export async function loadAssignees(db: Reader, tables: IssuableTables, ids: readonly number[]) {
  const rows = await selectAssignees(tables)(db, ids);
  return rows.sort((left, right) => left.id - right.id);
}

// index: issue_assignees_by_issue
const selectAssignees = memoizeByTables((tables: IssuableTables) =>
  prepareForIds((db, ids) =>
    db
      .selectFrom(tables.assigneeTable)
      .select(['id', `${tables.foreignKey} as issuable_id`, 'user_id'])
      .where(tables.foreignKey, 'in', ids),
  ),
);

/** Adds and removes assignees. Remaining assignees keep their order. index: issue_assignees_by_issue */
export function updateAssignees(tx: Transaction, tables: IssuableTables, id: number, change: SetChange): Promise<void> {
  const createdAtColumn = tables.assigneeTable === 'merge_request_reviewers' ? 'created_at' : undefined;
  return updateLinks(
    tx,
    { table: tables.assigneeTable, ownerColumn: tables.foreignKey, targetColumn: 'user_id', createdAtColumn },
    id,
    change,
  );
}
