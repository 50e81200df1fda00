import { expressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely';
import { byIds, type Condition, type IdOrWord, ISSUES } from '#api/planning/issuables/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { epicVisibleTo, readableEpic } from '#authorization/epics.ts';
import type { Reader, Schema } from '#database/database.ts';

/** Issues of an epic, of any, or of none; an epic that the caller may not read is none to him. index: epic_issues_by_epic, epic_issues_by_issue */
export async function epicConditions(
  db: Reader,
  caller: Caller,
  epicId: IdOrWord | null | undefined,
): Promise<Condition[]> {
  if (epicId == null) return [];
  if (epicId === 'Any') return [{ holds: inAny(db, caller) }];
  if (epicId === 'None') return [{ holds: sql<SqlBool>`not ${inAny(db, caller)}` }];
  if (!(await readableEpic(db, caller, epicId))) return [{ holds: sql<SqlBool>`1 = 0` }];
  const ids = sql`select related.issue_id from epic_issues as related where related.epic_id = ${epicId}`;
  return [byIds(db, { kind: ISSUES }, ids, sql.ref('related.issue_id'))];
}

/** index: epic_issues_by_issue, epics primary key, namespaces primary key */
function inAny({ today }: Reader, caller: Caller): RawBuilder<SqlBool> {
  const seen = expressionBuilder<Schema, 'epic_issues'>()
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .select('epics.id')
    .whereRef('epics.id', '=', 'epic_issues.epic_id')
    .where(epicVisibleTo(caller, today));
  return sql<SqlBool>`exists (select 1 from epic_issues where epic_issues.issue_id = issues.id and exists ${seen})`;
}
