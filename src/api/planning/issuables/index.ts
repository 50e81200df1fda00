import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { ResourceType } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { epicVisibleTo } from '#authorization/epics.ts';
import { issueVisibleTo } from '#authorization/issues.ts';
import { mergeRequestVisibleTo } from '#authorization/merge-requests.ts';
import type { Schema } from '#database/database.ts';

// Code shared by issues, merge requests and epics. Their folders declare the endpoints; this one has none.

export { recordIssuableChanges, recordIssuableCreated, recordStateChange } from './activity.ts';
export {
  deleteIssuable,
  findMilestoneIdWithSameTitle,
  IMPORTED_VALUES,
  type ImportedState,
  ifUnmodifiedResource,
  isSameSet,
  newStateColumns,
  pickChangedColumns,
  publishIssuableChanges,
  resolveAssignees,
  resolveMilestone,
  resolveUsers,
  stateColumnsAfter,
} from './changes.ts';
export {
  listLabelsSchema,
  loadAssignedUsers,
  loadAssignees,
  loadIssuableRelations,
  loadListRelations,
  loadProjectPaths,
  type ReferenceContext,
  referencesSchema,
  serializeReferences,
  TimeStats,
  taskCompletionStatusSchema,
  updateAssignees,
} from './entities.ts';
export {
  dueDateCondition,
  type IdOrKeyword,
  issuableConditions,
  negatedConditions,
  selectUserId,
} from './filters/conditions.ts';
export {
  buildIdQueries,
  type IssuableIdQuery,
  type IssuableListParent,
  toListParent,
  withReferenceContext,
} from './filters/listing.ts';
export {
  idOrKeyword,
  integerOrKeyword,
  mergeRequestScopeType,
  negatableFilterParams,
  scopeAccess,
  scopeType,
  searchAndTimeParams,
  toAllProjectsParent,
  toScopeFilter,
} from './filters/parameters.ts';
export { findMostSelective, type ListCondition } from './filters/query-strategy.ts';
export {
  columnCondition,
  DUE_DATES,
  existsCondition,
  flagCondition,
  idsCondition,
  joinGroupProjects,
  reactionConditions,
  valueCondition,
} from './filters/row-conditions.ts';
export {
  EPICS,
  ISSUES,
  type IssuableListScope,
  type IssuableTables,
  MERGE_REQUESTS,
  MERGE_REQUESTS_BY_APPROVER,
  MERGE_REQUESTS_BY_REVIEWER,
  TABLES_BY_TYPE,
} from './kind.ts';
export {
  findLabelIds,
  insertImportedLabels,
  type LabelInput,
  loadLabels,
  resolveLabels,
  updateLabels,
} from './labels.ts';
export { deleteIssuablesOfOwner, deleteNotesBatch, unassignFormerMembers } from './on-delete.ts';
export { replaceOutOfScopeReferences } from './on-transfer.ts';
export { INDEXED_ORDERS, paginateIds } from './ordering/list-page.ts';
export {
  findFirstPosition,
  findLastPosition,
  type OrderedList,
  POSITION_GAP,
  type ReorderInput,
  reorderInList,
} from './ordering/manual-order.ts';
export {
  applyComputedOrder,
  isComputedOrder,
  labelPriorityOrder,
  orderComputedNullsLast,
  orderNullsLast,
} from './ordering/orders.ts';
export { findSubscribedIds, listParticipants, setSubscribed, updateSubscription } from './subscriptions.ts';
export { findCodeRanges, MAX_SCANNED_POSITIONS } from './text/code.ts';
export {
  buildFullReference,
  findMentionedIds,
  findMentionedIssueIds,
  publishTextChanges,
  recordMentions,
} from './text/mentions.ts';
export { buildTextColumns, derivedTextColumns, validateTitle } from './text/texts.ts';
export { createTimeTrackingEndpoints } from './time/endpoints.ts';
export {
  addSpentTime,
  formatWorkTime,
  parseWorkTime,
  resetSpentTime,
  resetTimeEstimate,
  setTimeEstimate,
} from './time/time-tracking.ts';

/**
 * Returns the condition for rows whose issue, merge request or epic the caller may read, or that refer to none. `columns` names the
 * foreign key column of each type. The subqueries are scalar because PostgreSQL would compute EXISTS by hashing all rows that the
 * caller may read.
 * index: issues primary key, merge_requests primary key, epics primary key
 */
export function noteableVisibleTo<Table extends keyof Schema>(
  caller: Caller,
  today: string,
  columns: Readonly<Record<ResourceType, string>>,
) {
  return (rows: ExpressionBuilder<Schema, Table>): Expression<SqlBool> => {
    const eb = rows as unknown as ExpressionBuilder<Schema, never>;
    const toColumn = (type: ResourceType) => sql.ref<number>(columns[type]);
    const visibleIssue = eb
      .selectFrom('issues')
      .innerJoin('projects', 'projects.id', 'issues.project_id')
      .select('issues.id')
      .where('issues.id', '=', toColumn('Issue'))
      .where(issueVisibleTo(caller, today));
    const visibleMergeRequest = eb
      .selectFrom('merge_requests')
      .innerJoin('projects', 'projects.id', 'merge_requests.project_id')
      .select('merge_requests.id')
      .where('merge_requests.id', '=', toColumn('MergeRequest'))
      .where(mergeRequestVisibleTo(caller, today));
    const visibleEpic = eb
      .selectFrom('epics')
      .innerJoin('namespaces', 'namespaces.id', 'epics.group_id')
      .select('epics.id')
      .where('epics.id', '=', toColumn('Epic'))
      .where(epicVisibleTo(caller, today));
    return eb
      .case()
      .when(toColumn('Issue'), 'is not', null)
      .then(eb(visibleIssue.limit(1), 'is not', null))
      .when(toColumn('MergeRequest'), 'is not', null)
      .then(eb(visibleMergeRequest.limit(1), 'is not', null))
      .when(toColumn('Epic'), 'is not', null)
      .then(eb(visibleEpic.limit(1), 'is not', null))
      .else(sql<SqlBool>`true`)
      .end();
  };
}
