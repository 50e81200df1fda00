import type { Selectable } from 'kysely';
import type { Schema } from './tables.ts';

// The types of tables and columns, and lists of values. The unions below are from check constraints.

export * from './column-types.ts';
export type { Schema } from './tables.ts';

/** A row of a table as a query returns it. */
type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;

export type UserState = Row<'users'>['state'];

/** An action in the filter `action` of the API. */
export type ActivityAction = Row<'activity_events'>['action'];
export type RefType = NonNullable<Row<'activity_events'>['ref_type']>;
export type PushAction = NonNullable<Row<'activity_events'>['push_action']>;
export type AuditEntityType = Row<'audit_events'>['entity_type'];

export type BulkImportState = Row<'bulk_imports'>['status'];
export const BULK_IMPORT_STATES = [
  'created',
  'started',
  'finished',
  'timeout',
  'failed',
  'canceled',
] as const satisfies BulkImportState[];

export type MailState = Row<'mail_messages'>['state'];
export const MAIL_STATES = ['held', 'queued', 'sending', 'sent', 'failed', 'skipped'] as const satisfies MailState[];

export type NotificationLevel = Row<'notification_settings'>['level'];
/** Levels; the index of a level is its number in the API (contract/planning.md §1). */
export const NOTIFICATION_LEVELS = [
  'disabled',
  'participating',
  'watch',
  'global',
  'mention',
  'custom',
] as const satisfies NotificationLevel[];

export type TodoState = Row<'todos'>['state'];
export const TODO_STATES = ['pending', 'done'] as const satisfies TodoState[];

export type AlertIntegrationType = Row<'alert_integrations'>['type'];
export type AlertSeverity = Row<'alerts'>['severity'];
export type AlertStatus = Row<'alerts'>['status'];
export type AutoStopSetting = Row<'environments'>['auto_stop_setting'];
export type EnvironmentState = Row<'environments'>['state'];
export type EnvironmentTier = Row<'environments'>['tier'];
export type EpicState = Row<'epics'>['state'];
export type ErrorStatus = Row<'errors'>['status'];
export type FeatureLevel = Row<'projects'>['repository_access_level'];
/** The type of a link between issues; `blocks`: the source blocks the target. */
export type IssueLinkType = Row<'issue_links'>['link_type'];
/** The severity of an incident. */
export type IssueSeverity = Row<'issues'>['severity'];
export type LabelChange = Row<'resource_label_events'>['action'];
/**
 * Result of the mergeability check. `no_commits`: a branch is missing, or the source has no own commits; `conflict`: the merge has
 * conflicts; `diverged`: the target has new commits, but the merge is clean; `ahead`: a fast-forward is possible.
 */
export type MergeCheck = NonNullable<Row<'merge_requests'>['merge_check']>;
/** `locked`: imported from another server while that server merged it. */
export type MergeRequestState = Row<'merge_requests'>['state'];
export type MergeStatus = Row<'merge_requests'>['merge_status'];
export type MilestoneChange = Row<'resource_milestone_events'>['action'];
export type MilestoneState = Row<'milestones'>['state'];
export type MoveState = Row<'storage_moves'>['state'];
export type ProcessMode = Row<'resource_groups'>['process_mode'];
export type ResourceState = Row<'resource_state_events'>['state'];
export type RunnerAccessLevel = Row<'runners'>['access_level'];
export type RunnerType = Row<'runners'>['runner_type'];
export type SourceType = Row<'token_bots'>['source_type'];
export type VariableType = Row<'pipeline_variables'>['variable_type'];
