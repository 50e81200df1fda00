import type { ExpressionBuilder } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import type { Epic } from '#authorization/epics.ts';
import { findIssuesForList, issueVisibleTo, type ListedIssue } from '#authorization/issues.ts';
import type { Reader, Schema } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { EpicIssueAssociation } from '../epics/index.ts';

/** An issue with its position in an epic. */
export interface EpicIssueListRow extends ListedIssue {
  readonly association: Pick<EpicIssueAssociation, 'id' | 'relative_position'>;
  /** Id of the epic's group; references are relative to it. */
  readonly referenceContext: number;
}

/** Returns a page of the issues of an epic that the caller may read, in manual order. index: epic_issues_by_epic, issues primary key */
export async function listIssuesOfEpic(
  db: Reader,
  caller: Caller,
  { id, group_id: referenceContext }: Epic,
  page: OffsetRequest,
): Promise<Page<EpicIssueListRow>> {
  const query = db
    .selectFrom('epic_issues')
    .innerJoin('issues', 'issues.id', 'epic_issues.issue_id')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .select(['epic_issues.id', 'epic_issues.issue_id', 'epic_issues.relative_position'])
    .where('epic_issues.epic_id', '=', id)
    // The condition needs two of the three joined tables.
    .where((eb) => issueVisibleTo(caller, db.today)(eb as unknown as ExpressionBuilder<Schema, 'issues' | 'projects'>))
    .orderBy('epic_issues.relative_position')
    .orderBy('epic_issues.id');
  const result = await paginate(db, query, page);
  const issues = await findIssuesForList(
    db,
    caller,
    result.items.map(({ issue_id }) => issue_id),
  );
  const issuesById = new Map(issues.map((issue) => [issue.id, issue]));
  const items = result.items.flatMap(({ issue_id, ...association }) => {
    const issue = issuesById.get(issue_id);
    return issue === undefined ? [] : [{ ...issue, association, referenceContext }];
  });
  return { ...result, items };
}
