import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { ResourceType } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { epicVisibleTo } from '#authorization/epics.ts';
import { issueVisibleTo } from '#authorization/issues.ts';
import { mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Schema } from '#database/database.ts';

/**
 * Matches rows whose issue, merge request or epic the caller may read; each type has its own foreign key column. `isNone` says whether
 * rows without a noteable match. Scalar subqueries, not EXISTS: PostgreSQL would hash everything that the caller can see.
 * index: issues primary key, merge_requests primary key, epics primary key
 */
export function noteableVisibleTo<Table extends keyof Schema>(
  caller: Caller,
  today: string,
  columns: Readonly<Record<ResourceType, string>>,
  isNone: boolean,
) {
  return (rows: ExpressionBuilder<Schema, Table>): Expression<SqlBool> => {
    const eb = rows as unknown as ExpressionBuilder<Schema, never>;
    const columnOf = (type: ResourceType) => sql.ref<number>(columns[type]);
    const issue = eb
      .selectFrom('issues')
      .innerJoin('projects', 'projects.id', 'issues.project_id')
      .select('issues.id')
      .where('issues.id', '=', columnOf('Issue'))
      .where(issueVisibleTo(caller, today));
    const mergeRequest = eb
      .selectFrom('merge_requests')
      .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
      .select('merge_requests.id')
      .where('merge_requests.id', '=', columnOf('MergeRequest'))
      .where(mergeRequestVisibleTo(caller, today));
    const epic = eb
      .selectFrom('epics')
      .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
      .select('epics.id')
      .where('epics.id', '=', columnOf('Epic'))
      .where(epicVisibleTo(caller, today));
    return eb
      .case()
      .when(columnOf('Issue'), 'is not', null)
      .then(eb(issue.limit(1), 'is not', null))
      .when(columnOf('MergeRequest'), 'is not', null)
      .then(eb(mergeRequest.limit(1), 'is not', null))
      .when(columnOf('Epic'), 'is not', null)
      .then(eb(epic.limit(1), 'is not', null))
      .else(isNone ? sql<SqlBool>`true` : sql<SqlBool>`false`)
      .end();
  };
}
