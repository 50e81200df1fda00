import { type Insertable, sql, type Updateable } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { type Epic, epicVisibleTo, findEpics } from '#authorization/epics.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { hasRow } from '#database/page.ts';
import { prepareForIds } from '#database/prepare.ts';
import type { Schema } from '#database/schema.ts';
import { requireRow } from '#runtime/failure.ts';

/** Returns the epic with this id. Throws `RowDeleted` if it does not exist. index: epics primary key */
export async function requireEpic(db: Reader, id: number): Promise<Epic> {
  return requireRow((await findEpics(db, [id]))[0]);
}

/** Loads, by epic id, the parents of these epics that the caller may read. index: epics primary key, namespaces primary key */
export async function loadVisibleParents(db: Reader, caller: Caller, epics: readonly Pick<Epic, 'parent_id'>[]) {
  const ids = [...new Set(epics.map(({ parent_id }) => parent_id).filter((id) => id !== null))];
  if (ids.length === 0) return new Map<number, never>();
  const rows = await db
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .select(['epics.id', 'epics.iid', 'epics.group_id'])
    .where('epics.id', 'in', ids)
    .where(epicVisibleTo(caller, db.today))
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

interface InheritedDates {
  readonly start: string | null;
  readonly due: string | null;
}

/** Loads, by epic id, the earliest start and the latest due date of its issues' milestones. */
export async function loadInheritedDates(
  db: Reader,
  ids: readonly number[],
): Promise<ReadonlyMap<number, InheritedDates>> {
  const rows = await selectMilestoneDates(db, ids);
  return new Map(rows.map(({ epic_id, start, due }) => [epic_id, { start, due }]));
}

// index: epic_issues_by_epic, issues primary key, milestones primary key
const selectMilestoneDates = prepareForIds((db, ids) =>
  db
    .selectFrom('epic_issues')
    .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
    .innerJoin('milestones', 'milestones.id', 'issues.milestone_id')
    .select('epic_issues.epic_id')
    .select([
      sql<string | null>`min(milestones.start_date)`.as('start'),
      sql<string | null>`max(milestones.due_date)`.as('due'),
    ])
    .where('epic_issues.epic_id', 'in', ids)
    .groupBy('epic_issues.epic_id')
    .modifyEnd(LONG_RUNNING),
);

/** Returns whether an epic has an issue that is not confidential. index: epic_issues_by_epic, issues primary key */
export function hasPublicIssues(db: Reader, epicId: number): Promise<boolean> {
  return hasRow(
    db
      .selectFrom('epic_issues')
      .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
      .select('issues.id')
      .where('epic_issues.epic_id', '=', epicId)
      .where('issues.confidential', '=', false),
  );
}

/** Inserts an epic and returns its id. */
export async function insertEpic(tx: Transaction, row: Insertable<Schema['epics']>): Promise<number> {
  const { id } = await tx.insertInto('epics').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** Updates columns of an epic. index: epics primary key */
export async function updateEpicRow(tx: Transaction, id: number, columns: Updateable<Schema['epics']>): Promise<void> {
  await tx.updateTable('epics').set(columns).where('id', '=', id).execute();
}
