export { type ActivityEvent, recordActivity } from './activity-events.ts';
export type { AuditEventName } from './audit-event-names.ts';
export { type AuditEvent, describeChange, INSTANCE, recordAudit } from './audit-events.ts';
export { copyNotes, MAX_NOTES_PER_NOTEABLE, noteColumns } from './copy-notes.ts';
export { listPushedRefsSince, type Push, type PushChange, recordPushEvents } from './push-events.ts';
export { listRecordedSince, markRecordedEvents, type RecordedEventName } from './recorded-activity.ts';
export {
  getForeignKeyColumn,
  getResourceTable,
  type NoteTarget,
  type NotifyingTarget,
  type Resource,
  type ResourceType,
  toNoteTarget,
  toNotifyingTarget,
  toResource,
  toResourceColumns,
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
export { deleteOldActivityJob, deleteOldActivitySchedule, getActivityRetentionLimit } from './retention.ts';
export {
  deleteAuthorActivity,
  deleteProjectActivity,
  deleteTargetActivity,
} from './store.ts';
export {
  ALL_THREADS_RESOLVED_TEXT,
  APPROVED_TEXT,
  AUTO_MERGE_CANCELED_TEXT,
  assigneesChangedText,
  autoMergeAbortedText,
  autoMergeEnabledText,
  blockedByText,
  blockingText,
  childAddedText,
  childRemovedText,
  confidentialityChangedText,
  continuedInIssueText,
  DESCRIPTION_CHANGED_TEXT,
  dueDateChangedText,
  duplicatedByText,
  duplicateOfText,
  estimateChangedText,
  lockChangedText,
  mentionedInText,
  movedFromText,
  movedToText,
  type NoteableName,
  parentAddedText,
  parentRemovedText,
  relatedToText,
  relationRemovedText,
  type SystemNoteText,
  TIME_SPENT_REMOVED_TEXT,
  taggedText,
  timeSpentText,
  titleChangedText,
  UNAPPROVED_TEXT,
} from './system-note-texts.ts';
export { newDiscussionId, recordSystemNote, type SystemNote } from './system-notes.ts';
