import { type Selectable, sql } from 'kysely';
import { columnOf } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { mayReadPipelines } from '#authorization/pipelines.ts';
import { readersAmong } from '#authorization/readers.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import type { Matter } from '../subjects/subject.ts';

/** One who may be told of a matter, as he stands to it now. */
export interface Person {
  /** Where his mail goes: an address that he has confirmed. null: he gets none, as those who are not active, and bots. */
  readonly address: string | null;
  /** Folded: all that he has confirmed. */
  readonly confirmed: ReadonlySet<string>;
  readonly mayRead: boolean;
  readonly unsubscribed: boolean;
}

/** Those of these users whom there are. */
export async function peopleAmong(
  db: Reader,
  matter: Matter,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Person>> {
  if (ids.length === 0) return new Map();
  const [users, confirmed, readers, left] = await Promise.all([
    usersAmong(db, ids),
    confirmedAmong(db, ids),
    readersOf(db, matter, ids),
    unsubscribedAmong(db, matter, ids),
  ]);
  const may = new Set(readers);
  return new Map(
    users.map((user) => {
      const addresses = confirmed.get(user.id) ?? new Map();
      return [
        user.id,
        {
          address: addressOf(user, addresses),
          confirmed: new Set(addresses.keys()),
          mayRead: may.has(user.id),
          unsubscribed: left.has(user.id),
        },
      ];
    }),
  );
}

/** index: users primary key */
function usersAmong(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'notification_email', 'state', 'bot', 'internal', 'confirmed_at', 'deletion_scheduled_at'])
    .where(isAmong(db, sql<number>`users.id`, ids))
    .execute();
}

type UserRow = Awaited<ReturnType<typeof usersAmong>>[number];

function addressOf(user: UserRow, confirmed: ReadonlyMap<string, string>): string | null {
  const isActive = user.state === 'active' && user.deletion_scheduled_at === null && user.confirmed_at !== null;
  if (!isActive || user.bot || user.internal) return null;
  return confirmed.get(foldCase(user.notification_email ?? user.email)) ?? null;
}

/** Of each user the addresses by their folded form. index: emails_by_user_address */
async function confirmedAmong(db: Reader, ids: readonly number[]) {
  const rows = await db
    .selectFrom('emails')
    .select(['user_id', 'email', 'address_key'])
    .where(isAmong(db, sql<number>`emails.user_id`, ids))
    .where('confirmed_at', 'is not', null)
    .execute();
  const byUser = new Map<number, Map<string, string>>();
  for (const { user_id, email, address_key } of rows) {
    const addresses = byUser.get(user_id) ?? new Map<string, string>();
    byUser.set(user_id, addresses.set(address_key, email));
  }
  return byUser;
}

function readersOf(
  db: Reader,
  { told, pipeline, alert, note, place }: Matter,
  ids: readonly number[],
): Promise<readonly number[]> {
  if (told !== null) return told.readers(db, ids, note?.internal ?? false);
  if (alert !== null) return readersAmong(db, place.project!, ids, mayHearOfAlerts);
  return readersAmong(db, place.project!, ids, pipeline === null ? () => true : mayReadPipelines);
}

/** Whoever answers for the project. */
const mayHearOfAlerts = (reader: Caller, project: Project) => mayInProject(reader, 'admin_operations', project);

/** Who has said that he wants to hear no more of it. index: subscriptions_by_issue, subscriptions_by_merge_request, subscriptions_by_epic */
async function unsubscribedAmong(
  db: Reader,
  { resource }: Matter,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (resource === null) return new Set();
  const rows = await db
    .selectFrom('subscriptions')
    .select('user_id')
    .where(columnOf(resource.type), '=', resource.id)
    .where(isAmong(db, sql<number>`subscriptions.user_id`, ids))
    .where('subscribed', '=', false)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

type SettingRow = Selectable<Schema['notification_settings']>;

/**
 * What each of these users has chosen for the place and for everything, the nearest first; who has chosen nothing has none.
 * index: notification_settings_by_user
 */
export async function settingsAmong(
  db: Reader,
  { projectId, groupIds }: Matter['place'],
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly SettingRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('notification_settings')
    .selectAll()
    .where(isAmong(db, sql<number>`notification_settings.user_id`, ids))
    .where((eb) =>
      eb.or([
        eb.and([eb('group_id', 'is', null), eb('project_id', 'is', null)]),
        ...(projectId === null ? [] : [eb('project_id', '=', projectId)]),
        ...(groupIds.length === 0 ? [] : [eb('group_id', 'in', groupIds)]),
      ]),
    )
    .execute();
  const distance = ({ project_id, group_id }: SettingRow) => {
    if (project_id !== null) return -1;
    return group_id === null ? groupIds.length : groupIds.indexOf(group_id);
  };
  const byUser = Map.groupBy(rows, ({ user_id }) => user_id);
  return new Map([...byUser].map(([id, some]) => [id, some.toSorted((one, other) => distance(one) - distance(other))]));
}
