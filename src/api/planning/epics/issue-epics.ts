import type { Caller } from '#authentication/caller.ts';
import { epicVisibleTo } from '#authorization/epics.ts';
import type { Columns, Reader } from '#database/database.ts';
import { loadEpicIssueAssociations } from './issue-associations.ts';

/** An epic as shown in its issues. */
export interface EpicOfIssueRow extends Columns<'epics', 'id' | 'iid' | 'title' | 'group_id'> {
  readonly full_path: string;
}

/** Loads, by issue id, the epics that the caller may read. index: epic_issues_by_issue, epics primary key, routes_by_namespace */
export async function loadVisibleEpics(
  db: Reader,
  caller: Caller,
  issueIds: readonly number[],
): Promise<ReadonlyMap<number, EpicOfIssueRow>> {
  const associations = await loadEpicIssueAssociations(db, issueIds);
  if (associations.length === 0) return new Map();
  const rows = await db
    .selectFrom('epics')
    .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
    .innerJoin('routes', 'routes.namespace_id', 'epics.group_id')
    .select(['epics.id', 'epics.iid', 'epics.title', 'epics.group_id', 'routes.full_path'])
    .where('epics.id', 'in', [...new Set(associations.map(({ epic_id }) => epic_id))])
    .where(epicVisibleTo(caller, db.today))
    .execute();
  const epicsById = new Map(rows.map((row) => [row.id, row]));
  return new Map(
    associations.flatMap(({ issue_id, epic_id }) => {
      const epic = epicsById.get(epic_id);
      return epic === undefined ? [] : [[issue_id, epic] as const];
    }),
  );
}
