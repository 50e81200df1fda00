import type { Insertable, Selectable } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import type { Schema } from '#database/schema.ts';
import type { SourceType } from '#database/tables/domain.ts';
import type { EmailEvent, NotificationLevel } from '#database/tables/notification-settings.ts';

/** Of what a setting speaks: of a group or project, or of everything that has none of its own. */
export type Source = 'everything' | { readonly type: SourceType; readonly id: number };

type SettingsTable = Schema['notification_settings'];

/** What a user has chosen for one source; an event that is null, or was never named, is at its default. */
export type Setting = Pick<Selectable<SettingsTable>, 'level'> & Partial<Record<EmailEvent, boolean | null>>;

const UNCHOSEN = { everything: 'participating', below: 'global' } as const satisfies Record<string, NotificationLevel>;

/** The level as long as none has been chosen. */
const firstLevel = (source: Source) => (source === 'everything' ? UNCHOSEN.everything : UNCHOSEN.below);

/** The user's setting; one who has chosen nothing has the usual one. */
export async function readSetting(db: Reader, userId: number, source: Source): Promise<Setting> {
  return (await settingsOf(db, userId, source).executeTakeFirst()) ?? { level: firstLevel(source) };
}

/** With the address that mail goes to. */
export interface GlobalSetting {
  readonly setting: Setting;
  readonly email: string;
}

export async function readGlobalSetting(db: Reader, userId: number): Promise<GlobalSetting> {
  const setting = await readSetting(db, userId, 'everything');
  // index: users primary key
  const user = await db
    .selectFrom('users')
    .select(['email', 'notification_email'])
    .where('id', '=', userId)
    .executeTakeFirstOrThrow();
  return { setting, email: user.notification_email ?? user.email };
}

// index: notification_settings_everywhere, notification_settings_by_group, notification_settings_by_project
function settingsOf(db: Reader, userId: number, source: Source) {
  const own = db.selectFrom('notification_settings').selectAll().where('user_id', '=', userId);
  if (source === 'everything') return own.where('group_id', 'is', null).where('project_id', 'is', null);
  return own.where(columnOf(source.type), '=', source.id);
}

/** Stores only what is given. Of two who come first at once both find their fields. */
export async function changeSetting(
  tx: Transaction,
  userId: number,
  source: Source,
  change: Partial<Setting>,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  const owner = source === 'everything' ? {} : { [columnOf(source.type)]: source.id };
  const fields = { ...change, updated_at: tx.now };
  const row = { level: firstLevel(source), ...fields, ...owner, user_id: userId, created_at: tx.now };
  await tx
    .insertInto('notification_settings')
    .values(row as Insertable<SettingsTable>)
    .onConflict((conflict) =>
      source === 'everything'
        ? conflict.column('user_id').where('group_id', 'is', null).where('project_id', 'is', null).doUpdateSet(fields)
        : conflict.columns([columnOf(source.type), 'user_id']).doUpdateSet(fields),
    )
    .execute();
}

/** Whoever is no longer a member has chosen nothing there. index: notification_settings_by_group, notification_settings_by_project */
export async function forgetSetting(
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
    .where(columnOf(sourceType), '=', sourceId)
    .execute();
}

function columnOf(type: SourceType) {
  return type === 'group' ? 'group_id' : 'project_id';
}
