import type { IssuesCounts } from '../api/operations.ts';
import { readItemFilters } from './item-filters.tsx';

/** The states and orders of lists of issues. */
export const ISSUE_LIST = {
  states: [
    ['opened', 'open'],
    ['closed', 'closed'],
    ['all', 'all'],
  ],
  orders: [
    ['created_at', 'created'],
    ['updated_at', 'updated'],
    ['due_date', 'due date'],
    ['milestone_due', 'due date of the milestone'],
    ['priority', 'priority'],
    ['label_priority', 'priority of labels'],
    ['popularity', 'popularity'],
    ['weight', 'weight'],
    ['title', 'title'],
  ],
} as const;

/** Returns the states with the numbers of issues that they have. */
export const listIssueStates = (counts: IssuesCounts) =>
  ISSUE_LIST.states.map(([state, label]) => [state, `${label} (${counts[state].toLocaleString('en')})`] as const);

/** Returns the filters of the address without state, order and page. */
export function readIssueCountFilters(search: URLSearchParams) {
  const { state, order_by, sort, page, with_labels_details, ...filters } = readItemFilters(search, ISSUE_LIST);
  return filters;
}
