import { expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { type IdOrKeyword, ISSUES, idsCondition, type ListCondition } from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { epicVisibleTo, findReadableEpic } from '#authorization/epics.ts';
import type { Reader, Schema } from '#database/database.ts';

/** Returns the condition for issues of this epic, of any epic or of no epic. Epics that the caller may not read are ignored. index: epic_issues_by_epic, epic_issues_by_issue */
export async function epicConditions(
  db: Reader,
  caller: Caller,
  epicId: IdOrKeyword | null | undefined,
): Promise<ListCondition[]> {
  if (epicId == null) return [];
  if (epicId === 'Any') return [{ predicate: isInVisibleEpic(db, caller) }];
  if (epicId === 'None') return [{ predicate: sql<SqlBool>`not ${isInVisibleEpic(db, caller)}` }];
  if (!(await findReadableEpic(db, caller, epicId))) return [{ predicate: sql<SqlBool>`1 = 0` }];
  const ids = sql`select association.issue_id from epic_issues as association where association.epic_id = ${epicId}`;
  return [idsCondition(db, { tables: ISSUES }, ids, sql.ref('association.issue_id'))];
}

/** Matches issues of an epic that the caller may read. index: epic_issues_by_issue, epics primary key, namespaces primary key */
function isInVisibleEpic({ today }: Reader, caller: Caller): RawBuilder<SqlBool> {
  const visibleEpic = expressionBuilder<Schema, 'epic_issues'>()
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .select('epics.id')
    .whereRef('epics.id', '=', 'epic_issues.epic_id')
    .where(epicVisibleTo(caller, today));
  return sql<SqlBool>`exists (select 1 from epic_issues where epic_issues.issue_id = issues.id and exists ${visibleEpic})`;
}
