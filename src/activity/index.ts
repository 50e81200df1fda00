export { type ActivityEvent, recordActivity } from './activity-events.ts';
export type { AuditEventName } from './audit-event-names.ts';
export { type AuditEvent, describeChange, INSTANCE, recordAudit } from './audit-events.ts';
export { copyNotes } from './copy-notes.ts';
export { MAX_NOTES, noteColumns } from './note-columns.ts';
export { listPushedRefsSince, type Push, type PushChange, recordPushEvents } from './push-events.ts';
export { listRecordedSince, markRecordedEvents, type RecordedEventName } from './recorded-activity.ts';
export {
  foreignKeyColumn,
  type NoteTarget,
  type Resource,
  type ResourceType,
  resourceColumns,
  resourceTable,
  toNoteTarget,
  toResource,
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
export { activityHorizon, deleteOldActivityDaily, deleteOldActivityJob } from './retention.ts';
export {
  deleteAuthorActivity,
  deleteAuthorActivityBatch,
  deleteProjectActivity,
  deleteProjectActivityBatch,
  deleteTargetActivity,
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
  type NoteableName,
  parentAdded,
  parentRemoved,
  relatedTo,
  relationRemoved,
  type SystemNoteText,
  TIME_SPENT_REMOVED,
  timeSpent,
  titleChanged,
  UNAPPROVED,
} from './system-note-texts.ts';
export { newDiscussionId, recordSystemNote, type SystemNote } from './system-notes.ts';
