import { sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { issueVisibleOnlyToParticipant, issueVisibleToNonParticipant } from '#authorization/issues.ts';
import { mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Reader } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import type { IssueState } from '#database/schema.ts';

// Counts the issues and merge requests with a label. Rows of `issue_labels` repeat the project, state and confidentiality of their
// issue, so that a covering index counts without reading the issues.

type Counts = Readonly<Partial<Record<IssueState, number>>>;

/** Returns, for each label, the number of issues that the caller may read, by state. */
export async function countVisibleIssues(
  db: Reader,
  caller: Caller,
  labelIds: readonly number[],
): Promise<ReadonlyMap<number, Counts>> {
  if (labelIds.length === 0) return new Map();
  const [visibleCounts, ownCounts] = [
    await countIssuesByVisibility(db, caller, labelIds),
    await countOwnIssues(db, caller, labelIds),
  ];
  const countsByLabelId = new Map<number, Partial<Record<IssueState, number>>>();
  for (const { label_id, state, count } of [...visibleCounts, ...ownCounts]) {
    const labelCounts = countsByLabelId.get(label_id) ?? {};
    countsByLabelId.set(label_id, { ...labelCounts, [state]: (labelCounts[state] ?? 0) + count });
  }
  return countsByLabelId;
}

/**
 * Counts the issues whose visibility depends only on project and confidentiality. Groups by project first, so that visibility is
 * checked once per project. index: issue_labels_counted, projects primary key
 */
function countIssuesByVisibility(db: Reader, caller: Caller, labelIds: readonly number[]) {
  const countQuery = db
    .selectFrom('issue_labels')
    .select(['label_id', 'project_id', 'state', 'confidential'])
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('label_id', 'in', labelIds)
    .groupBy(['label_id', 'project_id', 'state', 'confidential']);
  return db
    .selectFrom(countQuery.as('label_counts'))
    .innerJoin('projects', 'projects.id', 'label_counts.project_id')
    .select([
      'label_counts.label_id',
      'label_counts.state',
      sql<number>`cast(sum(label_counts.count) as bigint)`.as('count'),
    ])
    .where((eb) => issueVisibleToNonParticipant(caller, db.today, eb('label_counts.confidential', '=', false)))
    .groupBy(['label_counts.label_id', 'label_counts.state'])
    .modifyEnd(LONG_RUNNING)
    .execute();
}

/**
 * Counts the issues that the caller may read only as their author or assignee.
 * index: issues_by_author, issue_assignees_by_user, issues primary key, issue_labels_pkey
 */
async function countOwnIssues(db: Reader, caller: Caller, labelIds: readonly number[]) {
  if (caller.user === null) return [];
  const { id } = caller.user;
  const authoredIssues = db
    .selectFrom('issues as authored_issue')
    .select('authored_issue.id')
    .where('authored_issue.author_id', '=', id);
  const assignedIssueIds = db.selectFrom('issue_assignees').select('issue_id as id').where('user_id', '=', id);
  return db
    .selectFrom('issues')
    .innerJoin('projects', 'projects.id', 'issues.project_id')
    .innerJoin('issue_labels', 'issue_labels.issue_id', 'issues.id')
    .select(['issue_labels.label_id', 'issues.state', (eb) => eb.fn.countAll<number>().as('count')])
    .where('issues.id', 'in', authoredIssues.where('authored_issue.confidential', '=', true).union(assignedIssueIds))
    .where('issue_labels.label_id', 'in', labelIds)
    .where(issueVisibleOnlyToParticipant(caller, db.today))
    .groupBy(['issue_labels.label_id', 'issues.state'])
    .modifyEnd(LONG_RUNNING)
    .execute();
}

/** Returns, for each label, the number of open merge requests that the caller may read. index: merge_request_labels_by_label, merge_requests primary key */
export async function countVisibleOpenMergeRequests(
  db: Reader,
  caller: Caller,
  labelIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (labelIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('merge_request_labels')
    .innerJoin('merge_requests', 'merge_requests.id', 'merge_request_labels.merge_request_id')
    .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
    .select('merge_request_labels.label_id')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('merge_request_labels.label_id', 'in', labelIds)
    .where('merge_requests.state', '=', 'opened')
    .where(mergeRequestVisibleTo(caller, db.today))
    .groupBy('merge_request_labels.label_id')
    .modifyEnd(LONG_RUNNING)
    .execute();
  return new Map(rows.map(({ label_id, count }) => [label_id, count]));
}
