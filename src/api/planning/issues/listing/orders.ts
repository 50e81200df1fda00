import { sql } from 'kysely';
import {
  type Computed,
  ISSUES,
  labelPriority,
  lastWithout,
  lastWithoutComputed,
  type ThingIds,
} from '#api/planning/issuables/index.ts';
import type { IssueOrder } from './parameters.ts';

/** The orders of lists of issues (contract/planning.md §3.6): who has nothing to be ordered by comes last, either way. */

export interface IssueOrdering {
  /** `milestone_issues`: the least priority of a label first, and then the newest. */
  readonly order: IssueOrder | 'milestone_issues';
  readonly direction: 'asc' | 'desc';
}

export type Query = ThingIds<'issues'>;

/** Ties are broken by id, in the same direction. index: issues_by_created_at, issues_by_updated_at, issues_by_title, issues_by_upvotes, issues_by_position, issues_by_due_date_asc, issues_by_due_date_desc, issues_by_weight_asc, issues_by_weight_desc */
export function inOrder(query: Query, { order, direction }: IssueOrdering): Query {
  switch (order) {
    case 'due_date':
    case 'weight':
      return lastWithout(query, sql`issues.${sql.raw(order)}`, direction).orderBy('issues.id', direction);
    case 'milestone_due':
      return lastWithoutComputed(query, MILESTONE_DUE, direction).orderBy('issues.id', direction);
    case 'label_priority':
      return lastWithoutComputed(query, labelPriority(ISSUES), direction).orderBy('issues.id', direction);
    case 'priority': {
      const byMilestone = lastWithoutComputed(query, MILESTONE_DUE, direction);
      return lastWithoutComputed(byMilestone, labelPriority(ISSUES), direction).orderBy('issues.id', direction);
    }
    case 'milestone_issues':
      return lastWithoutComputed(query, labelPriority(ISSUES), 'asc').orderBy('issues.id', 'desc');
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

/** index: milestones primary key */
const MILESTONE_DUE: Computed = {
  of: sql`(select due.due_date from milestones as due where due.id = issues.milestone_id)`,
  low: sql.lit(''),
  high: sql.lit('9999-99'),
};
