export { type ActivityEvent, recordActivity } from './activity-events.ts';
export type { AuditEventName } from './audit-event-names.ts';
export { type AuditEvent, changed, INSTANCE, recordAudit } from './audit-events.ts';
export { copyNotes } from './copy-notes.ts';
export { MOST_NOTES, noteColumns } from './note-columns.ts';
export { type Push, type PushChange, pushedSince, recordPushEvents } from './push-events.ts';
export { type HistoryName, markHistory, recordedSince } from './recorded-activity.ts';
export {
  columnOf,
  type Noted,
  notedOfRow,
  ofResource,
  type Resource,
  type ResourceType,
  resourceOfRow,
  tableOf,
} from './resource.ts';
export {
  type LabelEvents,
  type MilestoneEvent,
  recordLabelEvents,
  recordMilestoneEvent,
  recordStateEvent,
  recordWeightEvent,
  type StateEvent,
  type WeightEvent,
} from './resource-events.ts';
export { activityHorizon, removeOldActivity, removeOldActivityDaily } from './retention.ts';
export {
  forgetAuthorActivity,
  forgetProjectActivity,
  forgetSomeAuthorActivity,
  forgetSomeProjectActivity,
  forgetTargetActivity,
} from './store.ts';
export {
  ALL_THREADS_RESOLVED,
  APPROVED,
  AUTO_MERGE_CANCELED,
  assigneesChanged,
  autoMergeAborted,
  autoMergeEnabled,
  blockedBy,
  blocking,
  childAdded,
  childRemoved,
  confidentialityChanged,
  DESCRIPTION_CHANGED,
  dueDateChanged,
  estimateChanged,
  lockChanged,
  mentionedIn,
  movedFrom,
  movedTo,
  parentAdded,
  parentRemoved,
  relatedTo,
  relationRemoved,
  type SystemText,
  type ThingName,
  TIME_SPENT_REMOVED,
  timeSpent,
  titleChanged,
  UNAPPROVED,
} from './system-note-texts.ts';
export { newDiscussionId, recordSystemNote, type SystemNote } from './system-notes.ts';
