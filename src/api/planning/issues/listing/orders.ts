import { sql } from 'kysely';
import {
  applyComputedOrder,
  ISSUES,
  type IssuableIdQuery,
  labelPriorityOrder,
  orderComputedNullsLast,
  orderNullsLast,
} from '#api/planning/issuables/index.ts';
import type { KeysetRule } from '#http/lists/pagination.ts';
import type { IssueOrder } from './parameters.ts';

// Sort orders of issue lists, nulls last in both directions (contract/planning.md §3.6).

export interface IssueOrdering {
  /** `milestone_issues`: lowest label priority first, then newest first. */
  readonly order: IssueOrder | 'milestone_issues';
  readonly direction: 'asc' | 'desc';
}

export type IssueIdQuery = IssuableIdQuery<'issues'>;

/** Orders of keyset pagination: columns without nulls. Lists in other orders are paged by number. */
export const KEYSET_ORDERS = ['created_at', 'updated_at', 'title', 'relative_position'] as const;

export const ISSUES_KEYSET: KeysetRule = {
  orders: KEYSET_ORDERS.flatMap((order) => [`${order} desc`, `${order} asc`] as const),
  cursorKind: 'opaque',
  allowsOffset: true,
};

/**
 * Adds the order to the query. Ties are broken by id, in the same direction. index: issues_by_created_at, issues_by_updated_at,
 * issues_by_title, issues_by_upvotes, issues_by_position, issues_by_due_date_asc, issues_by_due_date_desc, issues_by_weight_asc,
 * issues_by_weight_desc
 */
export function applyIssueOrder(query: IssueIdQuery, { order, direction }: IssueOrdering): IssueIdQuery {
  switch (order) {
    case 'due_date':
    case 'weight':
      return orderNullsLast(query, sql`issues.${sql.raw(order)}`, direction).orderBy('issues.id', direction);
    case 'milestone_due':
    case 'label_priority':
    case 'priority':
      return applyComputedOrder(query, ISSUES, order, direction).orderBy('issues.id', direction);
    case 'milestone_issues':
      return orderComputedNullsLast(query, labelPriorityOrder(ISSUES), 'asc').orderBy('issues.id', 'desc');
    default:
      return query.orderBy(`issues.${ORDER_COLUMNS[order]}`, direction).orderBy('issues.id', direction);
  }
}

/** Maps each indexed order to its column. */
export const ORDER_COLUMNS = {
  created_at: 'created_at',
  updated_at: 'updated_at',
  title: 'title_key',
  relative_position: 'relative_position',
  popularity: 'upvotes',
} as const;
