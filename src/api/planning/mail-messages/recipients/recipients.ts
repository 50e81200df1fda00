import { sql } from 'kysely';
import { getForeignKeyColumn } from '#activity/index.ts';
import type { Caller } from '#authentication/caller.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { mayReadPipelines } from '#authorization/pipelines.ts';
import { filterProjectReaders } from '#authorization/readers.ts';
import type { Columns, Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import type { MailReason } from '#database/schema.ts';
import type { Project } from '#domain/namespaces/projects.ts';
import { mayReadCode } from '../subjects/noteable.ts';
import type { MailSubject, NewMailSubject } from '../subjects/subject.ts';
import {
  decideNotification,
  findEffectiveSetting,
  type Involvement,
  type NotificationCandidate,
} from './notification-rules.ts';

/** A user who gets the mail. */
export interface Recipient {
  readonly userId: number;
  readonly email: string;
  readonly reason: MailReason | null;
  /** Whether they are mentioned. */
  readonly mention: boolean;
}

/** Returns the candidates who get a mail according to their settings and current access. */
export async function selectRecipients(
  db: Reader,
  subject: NewMailSubject,
  actorId: number | null,
  involvements: ReadonlyMap<number, ReadonlySet<Involvement>>,
): Promise<Recipient[]> {
  const ids = [...involvements.keys()];
  const [detailsByUserId, settingsByUserId] = await Promise.all([
    loadCandidateDetails(db, subject, ids),
    loadNotificationSettings(db, subject.container, ids),
  ]);
  return ids.flatMap((userId) => {
    const details = detailsByUserId.get(userId);
    if (details?.address == null) return [];
    const settings = settingsByUserId.get(userId) ?? [];
    const { level } = findEffectiveSetting(settings);
    const candidate: NotificationCandidate = {
      involvements: withLevelInvolvement(involvements.get(userId)!, level),
      settings,
      isReachable: true,
      mayRead: details.mayRead,
      isActor: userId === actorId,
      isUnsubscribed: details.isUnsubscribed,
      reasons: findReasons(subject, userId, involvements.get(userId)!),
    };
    const decision = decideNotification(
      { event: subject.event, mailsDisabled: subject.container.mailsDisabled },
      candidate,
    );
    return 'dropReason' in decision
      ? []
      : [{ userId, email: details.address, reason: decision.reason, mention: candidate.involvements.has('mention') }];
  });
}

/** Replaces the involvement `watch`, which a general setting can cause, by the effective level if that is `watch` or `custom`. */
function withLevelInvolvement(involvements: ReadonlySet<Involvement>, level: string): ReadonlySet<Involvement> {
  const otherInvolvements = [...involvements].filter((involvement) => involvement !== 'watch');
  return new Set(level === 'watch' || level === 'custom' ? [...otherInvolvements, level] : otherInvolvements);
}

/** Returns all reasons for which the user gets the mail. */
function findReasons(
  { assignees, reviewers, mentionedUserIds }: NewMailSubject,
  userId: number,
  involvements: ReadonlySet<Involvement>,
): ReadonlySet<MailReason> {
  const reasons: [MailReason, boolean][] = [
    ['assigned', assignees.includes(userId)],
    ['review_requested', reviewers.includes(userId)],
    ['mentioned', mentionedUserIds.includes(userId)],
    ['subscribed', involvements.has('subscription')],
  ];
  return new Set(reasons.filter(([, applies]) => applies).map(([reason]) => reason));
}

/** Returns whether the recipient may still get the mail at this address; checked again before sending. */
export function isStillRecipient(
  { container }: MailSubject,
  details: CandidateDetails | undefined,
  { email, mention }: Pick<Recipient, 'email' | 'mention'>,
): boolean {
  if (details?.address == null || !details.confirmedAddressKeys.has(foldCase(email))) return false;
  return details.mayRead && !container.mailsDisabled && (!details.isUnsubscribed || mention);
}

/** A candidate's current addresses and permissions for the subject. */
interface CandidateDetails {
  /** The confirmed address for mails; null for bots and inactive users, who get no mails. */
  readonly address: string | null;
  /** Keys of all confirmed addresses (case-folded). */
  readonly confirmedAddressKeys: ReadonlySet<string>;
  readonly mayRead: boolean;
  readonly isUnsubscribed: boolean;
}

/** Returns the details of the users that exist among these ids. */
export async function loadCandidateDetails(
  db: Reader,
  subject: MailSubject,
  ids: readonly number[],
): Promise<ReadonlyMap<number, CandidateDetails>> {
  if (ids.length === 0) return new Map();
  const [users, addressesByUserId, readerIds, unsubscribedIds] = await Promise.all([
    listUsers(db, ids),
    loadConfirmedAddresses(db, ids),
    findReaders(db, subject, ids),
    findUnsubscribedUserIds(db, subject, ids),
  ]);
  const readerIdSet = new Set(readerIds);
  return new Map(
    users.map((user) => {
      const addresses = addressesByUserId.get(user.id) ?? new Map();
      return [
        user.id,
        {
          address: getMailAddress(user, addresses),
          confirmedAddressKeys: new Set(addresses.keys()),
          mayRead: readerIdSet.has(user.id),
          isUnsubscribed: unsubscribedIds.has(user.id),
        },
      ];
    }),
  );
}

/** index: users primary key */
function listUsers(db: Reader, ids: readonly number[]) {
  return db
    .selectFrom('users')
    .select(['id', 'email', 'notification_email', 'state', 'bot', 'internal', 'confirmed_at', 'deletion_scheduled_at'])
    .where(isInIds(db, sql<number>`users.id`, ids))
    .execute();
}

type UserRow = Awaited<ReturnType<typeof listUsers>>[number];

/** Returns the confirmed address for mails, or null for bots, inactive users and unconfirmed addresses. */
function getMailAddress(user: UserRow, addressesByKey: ReadonlyMap<string, string>): string | null {
  const isActive = user.state === 'active' && user.deletion_scheduled_at === null && user.confirmed_at !== null;
  if (!isActive || user.bot || user.internal) return null;
  return addressesByKey.get(foldCase(user.notification_email ?? user.email)) ?? null;
}

/** Returns, by user id, the confirmed addresses by case-folded key. index: emails_by_user_address */
async function loadConfirmedAddresses(db: Reader, ids: readonly number[]) {
  const rows = await db
    .selectFrom('emails')
    .select(['user_id', 'email', 'address_key'])
    .where(isInIds(db, sql<number>`emails.user_id`, ids))
    .where('confirmed_at', 'is not', null)
    .execute();
  const addressesByUserId = new Map<number, Map<string, string>>();
  for (const { user_id, email, address_key } of rows) {
    const addresses = addressesByUserId.get(user_id) ?? new Map<string, string>();
    addressesByUserId.set(user_id, addresses.set(address_key, email));
  }
  return addressesByUserId;
}

/** Returns which of these users may read the subject. */
function findReaders(
  db: Reader,
  { noteable, commit, pipeline, alert, note, container }: MailSubject,
  ids: readonly number[],
): Promise<readonly number[]> {
  if (noteable !== null) return noteable.filterReaders(db, ids, note?.internal ?? false);
  if (alert !== null) return filterProjectReaders(db, container.project!, ids, mayReceiveAlerts);
  if (commit !== null) return filterProjectReaders(db, container.project!, ids, mayReadCode);
  return filterProjectReaders(db, container.project!, ids, pipeline === null ? () => true : mayReadPipelines);
}

/** Returns whether the user manages the operations of the project. */
const mayReceiveAlerts = (reader: Caller, project: Project) => mayInProject(reader, 'admin_operations', project);

/** Returns the users who unsubscribed from the noteable. index: subscriptions_by_issue, subscriptions_by_merge_request, subscriptions_by_epic */
async function findUnsubscribedUserIds(
  db: Reader,
  { resource }: MailSubject,
  ids: readonly number[],
): Promise<ReadonlySet<number>> {
  if (resource === null) return new Set();
  const rows = await db
    .selectFrom('subscriptions')
    .select('user_id')
    .where(getForeignKeyColumn(resource.type), '=', resource.id)
    .where(isInIds(db, sql<number>`subscriptions.user_id`, ids))
    .where('subscribed', '=', false)
    .execute();
  return new Set(rows.map(({ user_id }) => user_id));
}

type SettingRow = Columns<'notification_settings'>;

/**
 * Returns, by user id, the notification settings for the project, its groups and all projects, nearest first.
 * index: notification_settings_by_user
 */
async function loadNotificationSettings(
  db: Reader,
  { projectId, groupIds }: MailSubject['container'],
  ids: readonly number[],
): Promise<ReadonlyMap<number, readonly SettingRow[]>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('notification_settings')
    .selectAll()
    .where(isInIds(db, sql<number>`notification_settings.user_id`, ids))
    .where((eb) =>
      eb.or([
        eb.and([eb('group_id', 'is', null), eb('project_id', 'is', null)]),
        ...(projectId === null ? [] : [eb('project_id', '=', projectId)]),
        ...(groupIds.length === 0 ? [] : [eb('group_id', 'in', groupIds)]),
      ]),
    )
    .execute();
  const getDistance = ({ project_id, group_id }: SettingRow) => {
    if (project_id !== null) return -1;
    return group_id === null ? groupIds.length : groupIds.indexOf(group_id);
  };
  const settingsByUserId = Map.groupBy(rows, ({ user_id }) => user_id);
  return new Map(
    [...settingsByUserId].map(([id, settings]) => [
      id,
      settings.toSorted((one, other) => getDistance(one) - getDistance(other)),
    ]),
  );
}
