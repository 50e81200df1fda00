import type { Insertable, Selectable } from 'kysely';
import type { Tier } from '#config.ts';
import type { Reader, Transaction } from '#database/database.ts';
import {
  EMAIL_EVENTS,
  type EmailEvent,
  type NotificationLevel,
  type Schema,
  type SourceType,
} from '#database/schema.ts';

/** The scope of a setting: a group, a project, or everything without its own setting. */
type SettingSource = 'everything' | { readonly type: SourceType; readonly id: number };

type SettingsTable = Schema['notification_settings'];

/** A user's setting for one source; a null or missing event is at its default. */
export type UserNotificationSetting = Pick<Selectable<SettingsTable>, 'level'> &
  Partial<Record<EmailEvent, boolean | null>>;

const DEFAULT_LEVELS = { everything: 'participating', source: 'global' } as const satisfies Record<
  string,
  NotificationLevel
>;

/** Returns the level of a user without a setting. */
const getDefaultLevel = (source: SettingSource) =>
  source === 'everything' ? DEFAULT_LEVELS.everything : DEFAULT_LEVELS.source;

/** Returns the user's setting, or the default. */
export async function getSetting(db: Reader, userId: number, source: SettingSource): Promise<UserNotificationSetting> {
  return (await selectSetting(db, userId, source).executeTakeFirst()) ?? { level: getDefaultLevel(source) };
}

/** The global setting with the notification address. */
export interface GlobalSetting {
  readonly setting: UserNotificationSetting;
  readonly email: string;
}

/** Returns the user's global setting, with the notification address or else the primary address. */
export async function getGlobalSetting(db: Reader, userId: number): Promise<GlobalSetting> {
  const setting = await getSetting(db, userId, 'everything');
  // index: users primary key
  const user = await db
    .selectFrom('users')
    .select(['email', 'notification_email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return { setting, email: user.notification_email ?? user.email };
}

// index: notification_settings_everywhere, notification_settings_by_group, notification_settings_by_project
function selectSetting(db: Reader, userId: number, source: SettingSource) {
  const userSettings = db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId);
  if (source === 'everything') return userSettings.where('group_id', 'is', null).where('project_id', 'is', null);
  return userSettings.where(getSourceColumn(source.type), '=', source.id);
}

/** Upserts only the given fields, so that two concurrent first writes do not overwrite each other's fields. */
export async function updateSetting(
  tx: Transaction,
  userId: number,
  source: SettingSource,
  changes: Partial<UserNotificationSetting>,
): Promise<void> {
  if (Object.keys(changes).length === 0) return;
  const ownerColumns = source === 'everything' ? {} : { [getSourceColumn(source.type)]: source.id };
  const fields = { ...changes, updated_at: tx.now };
  const row = { level: getDefaultLevel(source), ...fields, ...ownerColumns, user_id: userId, created_at: tx.now };
  await tx
    .insertInto('notification_settings')
    .values(row as Insertable<SettingsTable>)
    .onConflict((conflict) =>
      source === 'everything'
        ? conflict.column('user_id').where('group_id', 'is', null).where('project_id', 'is', null).doUpdateSet(fields)
        : conflict.columns([getSourceColumn(source.type), 'user_id']).doUpdateSet(fields),
    )
    .execute();
}

/** Deletes the setting of a former member. index: notification_settings_by_group, notification_settings_by_project */
export async function deleteSettingOfFormerMember(
  tx: Transaction,
  {
    userId,
    sourceType,
    sourceId,
  }: { readonly userId: number; readonly sourceType: SourceType; readonly sourceId: number },
): Promise<void> {
  await tx
    .deleteFrom('notification_settings')
    .where('user_id', '=', userId)
    .where(getSourceColumn(sourceType), '=', sourceId)
    .execute();
}

function getSourceColumn(type: SourceType) {
  return type === 'group' ? 'group_id' : 'project_id';
}

/** Returns the events that exist for this kind of source and tier: projects have no epics, groups no approvals. */
export function listAvailableEvents(source: SourceType | 'everything', tier: Tier): EmailEvent[] {
  return EMAIL_EVENTS.filter((event) => {
    if (event === 'new_epic' && source === 'project') return false;
    if (event === 'approver' && source === 'group') return false;
    return getTiersOfEvent(event).includes(tier);
  });
}

/** Returns the tiers that have the feature of the event. */
export function getTiersOfEvent(event: EmailEvent): readonly Tier[] {
  if (event === 'new_epic') return ['ultimate'];
  return event === 'approver' ? ['premium', 'ultimate'] : ['free', 'premium', 'ultimate'];
}

/** Events that are enabled by default. */
const DEFAULT_ENABLED_EVENTS: readonly EmailEvent[] = ['failed_pipeline', 'fixed_pipeline', 'moved_project'];

/** Returns whether the event is enabled at the level `custom`. A null or missing value means the default. */
export function isEventEnabled(
  setting: { readonly [Event in EmailEvent]?: boolean | null },
  event: EmailEvent,
): boolean {
  return setting[event] ?? DEFAULT_ENABLED_EVENTS.includes(event);
}
