import type { ResourceType } from '#activity/index.ts';

/** Tables with a row for each user of an issuable: its assignees, reviewers, or approvers. */
type AssigneeTable =
  | 'issue_assignees'
  | 'merge_request_assignees'
  | 'merge_request_reviewers'
  | 'merge_request_approvals';

/** Table and column names of a resource type with labels, state and discussion, for code that several types share. */
export interface LabelableTables {
  /** The main table. Shared code uses only columns that all main tables have. */
  readonly table: 'issues' | 'merge_requests' | 'epics';
  readonly labelTable: 'issue_labels' | 'merge_request_labels' | 'epic_labels';
  /** Null for epics, which have no assignees and no milestone. */
  readonly assigneeTable: AssigneeTable | null;
  /** Foreign key to the main table in other tables. */
  readonly foreignKey: 'issue_id' | 'merge_request_id' | 'epic_id';
}

/** Table and column names of a resource type with assignees. */
export interface IssuableTables extends LabelableTables {
  readonly table: 'issues' | 'merge_requests';
  readonly assigneeTable: AssigneeTable;
  readonly foreignKey: 'issue_id' | 'merge_request_id';
}

/** Returns a function that calls `build` once for each `tables` object and caches the result. */
export function memoizeByTables<Tables extends LabelableTables, Result>(
  build: (tables: Tables) => Result,
): (tables: Tables) => Result {
  const results = new Map<Tables, Result>();
  return (tables) => results.get(tables) ?? results.set(tables, build(tables)).get(tables)!;
}

export const ISSUES: IssuableTables & { readonly table: 'issues' } = {
  table: 'issues',
  labelTable: 'issue_labels',
  assigneeTable: 'issue_assignees',
  foreignKey: 'issue_id',
};

export const MERGE_REQUESTS: IssuableTables & { readonly table: 'merge_requests' } = {
  table: 'merge_requests',
  labelTable: 'merge_request_labels',
  assigneeTable: 'merge_request_assignees',
  foreignKey: 'merge_request_id',
};

/** Merge requests, whose `assigneeTable` holds the reviewers: filters by assignee then filter by reviewer. */
export const MERGE_REQUESTS_BY_REVIEWER: IssuableTables = {
  ...MERGE_REQUESTS,
  assigneeTable: 'merge_request_reviewers',
};

/** Merge requests, whose `assigneeTable` holds the users who approved. */
export const MERGE_REQUESTS_BY_APPROVER: IssuableTables = {
  ...MERGE_REQUESTS,
  assigneeTable: 'merge_request_approvals',
};

export const EPICS: LabelableTables = {
  table: 'epics',
  labelTable: 'epic_labels',
  assigneeTable: null,
  foreignKey: 'epic_id',
};

/** The tables of each resource type. */
export const TABLES_BY_TYPE = { Issue: ISSUES, MergeRequest: MERGE_REQUESTS, Epic: EPICS } as const satisfies Record<
  ResourceType,
  LabelableTables
>;

/** The scope of a list: one project, or several (`project: null`). The conditions of filters depend on it. */
export interface IssuableListScope {
  readonly tables: LabelableTables;
  readonly project: { readonly id: number; readonly namespace_id: number } | null;
  /** Limits the list to the projects of this group and its subgroups. Absent or null: all projects. */
  readonly group?: { readonly id: number } | null;
}
