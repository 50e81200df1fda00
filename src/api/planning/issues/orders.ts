import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from '../../../database/database.ts';
import type { IssueOrder } from './list-parameters.ts';

/** The orders of lists of issues (contract/planning.md §3.6): who has nothing to be ordered by comes last, either way. */

export interface IssueOrdering {
  /** `milestone_issues`: the least priority of a label first, and then the newest. */
  readonly order: IssueOrder | 'milestone_issues';
  readonly direction: 'asc' | 'desc';
}

export type Query = SelectQueryBuilder<Schema, 'issues', { id: number }>;

/** Ties are broken by id, in the same direction. index: issues_by_created_at, issues_by_updated_at, issues_by_title, issues_by_upvotes, issues_by_position */
export function inOrder(query: Query, { order, direction }: IssueOrdering): Query {
  switch (order) {
    case 'due_date':
    case 'weight':
      return lastWithout(query, sql`issues.${sql.raw(order)}`, direction).orderBy('issues.id', direction);
    case 'milestone_due':
      return lastWithoutComputed(query, MILESTONE_DUE, direction).orderBy('issues.id', direction);
    case 'label_priority':
      return lastWithoutComputed(query, LABEL_PRIORITY, direction).orderBy('issues.id', direction);
    case 'priority': {
      const byMilestone = lastWithoutComputed(query, MILESTONE_DUE, direction);
      return lastWithoutComputed(byMilestone, LABEL_PRIORITY, direction).orderBy('issues.id', direction);
    }
    case 'milestone_issues':
      return lastWithoutComputed(query, LABEL_PRIORITY, 'asc').orderBy('issues.id', 'desc');
    default:
      return query.orderBy(`issues.${COLUMNS[order]}`, direction).orderBy('issues.id', direction);
  }
}

const COLUMNS = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  title: 'title_key',
  relative_position: 'relative_position',
  popularity: 'upvotes',
} as const;

/** The engines disagree on where nulls stand: both have the sign in an index, turned so that it is read one way. index: issues_by_due_date_asc, issues_by_due_date_desc, issues_by_weight_asc, issues_by_weight_desc */
function lastWithout(query: Query, value: RawBuilder<unknown>, direction: 'asc' | 'desc'): Query {
  const sign = direction === 'asc' ? sql`(${value} is null)` : sql`(${value} is not null)`;
  return query.orderBy(sign, direction).orderBy(value, direction);
}

/** What is worked out for each issue, and but once: in place of none something that comes last. */
function lastWithoutComputed(query: Query, value: Computed, direction: 'asc' | 'desc'): Query {
  const none = direction === 'asc' ? value.high : value.low;
  return query.orderBy(sql`coalesce(${value.of}, ${none})`, direction);
}

interface Computed {
  readonly of: RawBuilder<unknown>;
  readonly low: RawBuilder<unknown>;
  readonly high: RawBuilder<unknown>;
}

/** index: milestones primary key */
const MILESTONE_DUE: Computed = {
  of: sql`(select due.due_date from milestones as due where due.id = issues.milestone_id)`,
  low: sql.lit(''),
  high: sql.lit('9999-99'),
};

/** The least of the priorities that the project has given to its labels. index: issue_labels_pkey, label_priorities_pkey */
const LABEL_PRIORITY: Computed = {
  of: sql`(select min(given.priority) from issue_labels as worn
  inner join label_priorities as given on given.label_id = worn.label_id
  where worn.issue_id = issues.id and given.project_id = issues.project_id)`,
  low: sql.lit(-1),
  high: sql.lit(Number.MAX_SAFE_INTEGER),
};
