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
