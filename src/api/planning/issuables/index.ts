/** Code shared by issues, merge requests and epics. It declares no endpoints of its own. */

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
  idsCondition,
  isKeyword,
  negateCondition,
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
  type ComputedOrderName,
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
export { derivedTextColumns, newTextColumns, validateTitle } from './text/texts.ts';
export { createTimeTrackingEndpoints } from './time/endpoints.ts';
export {
  addSpentTime,
  formatWorkTime,
  parseWorkTime,
  resetSpentTime,
  resetTimeEstimate,
  setTimeEstimate,
} from './time/time-tracking.ts';
export { noteableVisibleTo } from './visibility.ts';
