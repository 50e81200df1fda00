import type { Generated } from 'kysely';

/** Notification settings of users. */
export interface NotificationTables {
  notification_settings: NotificationSettingsTable;
}

/** Levels; the index of a level is its number in the API (contract/planning.md §1). */
export const NOTIFICATION_LEVELS = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;
export type NotificationLevel = (typeof NOTIFICATION_LEVELS)[number];

/** The events of notification mails, in the order in which they are shown (contract/activity.md Part 2). */
export const EMAIL_EVENTS = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'new_epic',
  'approver',
] as const;
export type EmailEvent = (typeof EMAIL_EVENTS)[number];

/** Settings for a group, a project, or (with neither) global ones. A null event has its default. */
interface NotificationSettingsTable extends Record<EmailEvent, boolean | null> {
  id: Generated<number>;
  user_id: number;
  group_id: number | null;
  project_id: number | null;
  level: NotificationLevel;
  created_at: string;
  updated_at: string;
}
