import type { Insertable } from 'kysely';
import { type Issue, isOwnIssue } from '../../../access/issues.ts';
import type { Reader, Transaction } from '../../../database/database.ts';
import { prepareForIds } from '../../../database/prepare.ts';
import type { IssuesTables } from '../../../database/tables/issues.ts';
import type { Caller } from '../../../identity/caller.ts';

/** The rows of issues. */

export type NewIssue = Insertable<IssuesTables['issues']>;

export async function insertIssue(tx: Transaction, row: NewIssue): Promise<number> {
  const { id } = await tx.insertInto('issues').values(row).returning('id').executeTakeFirstOrThrow();
  return id;
}

/** The last place among the issues of a project; 0 without any. index: issues_by_position */
export async function lastPosition(db: Reader, projectId: number): Promise<number> {
  const last = await db
    .selectFrom('issues')
    .select('relative_position')
    .where('project_id', '=', projectId)
    .orderBy('relative_position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return last?.relative_position ?? 0;
}

/** Who is assigned to these issues, of each the first one first. */
export async function assigneesOf(db: Reader, issueIds: readonly number[]) {
  const rows = await assignments(db, issueIds);
  return rows.sort((a, b) => a.id - b.id);
}

// index: issue_assignees_by_issue
const assignments = prepareForIds((db, ids) =>
  db.selectFrom('issue_assignees').select(['id', 'issue_id', 'user_id']).where('issue_id', 'in', ids),
);

/** Where issues are: the full path of each project, and what it is in. */
export async function placesOf(db: Reader, projectIds: readonly number[]) {
  return places(db, [...new Set(projectIds)]);
}

// index: routes_by_project, projects primary key, namespaces primary key
const places = prepareForIds((db, ids) =>
  db
    .selectFrom('projects')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select(['projects.id', 'routes.full_path', 'namespaces.kind'])
    .where('projects.id', 'in', ids),
);

/** To which of these the caller is subscribed: by what he has said, else as author or assignee. index: subscriptions_by_issue */
export async function isSubscribed(db: Reader, caller: Caller, issues: readonly Issue[]): Promise<ReadonlySet<number>> {
  if (caller.user === null) return new Set();
  const said = await db
    .selectFrom('subscriptions')
    .select(['issue_id', 'subscribed'])
    .where('user_id', '=', caller.user.id)
    .where(
      'issue_id',
      'in',
      issues.map(({ id }) => id),
    )
    .execute();
  const byId = new Map(said.map(({ issue_id, subscribed }) => [issue_id, subscribed]));
  return new Set(issues.filter((issue) => byId.get(issue.id) ?? isOwnIssue(caller, issue)).map(({ id }) => id));
}
