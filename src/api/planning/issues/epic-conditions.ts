import { type SqlBool, sql } from 'kysely';
import { readableEpic } from '../../../access/epics.ts';
import type { Reader } from '../../../database/database.ts';
import type { Caller } from '../../../identity/caller.ts';
import type { Condition, IdOrWord } from '../issuables/index.ts';

/** Issues of an epic, of any, or of none; of an epic that the caller may not read he learns nothing. index: epic_issues_by_epic, epic_issues_by_issue */
export async function epicConditions(
  db: Reader,
  caller: Caller,
  epicId: IdOrWord | null | undefined,
): Promise<Condition[]> {
  if (epicId == null) return [];
  const inAny = sql<SqlBool>`exists (select 1 from epic_issues as related where related.issue_id = issues.id)`;
  if (epicId === 'Any') return [{ holds: inAny }];
  if (epicId === 'None') return [{ holds: sql<SqlBool>`not ${inAny}` }];
  if (!(await readableEpic(db, caller, epicId))) return [{ holds: sql<SqlBool>`1 = 0` }];
  const ids = sql`select related.issue_id from epic_issues as related where related.epic_id = ${epicId}`;
  return [{ holds: sql<SqlBool>`exists (${ids} and related.issue_id = issues.id)`, ids }];
}
