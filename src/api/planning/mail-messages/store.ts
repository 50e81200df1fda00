import type { SelectQueryBuilder } from 'kysely';
import { getForeignKeyColumn, type NoteTarget } from '#activity/index.ts';
import type { Columns, Reader, Schema, Transaction } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import type { MailEvent, MailState, MailTarget, UnsubscribableTarget } from '#database/schema.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import type { Recipient } from './recipients/recipients.ts';

// Rows of mails.

export type MailRow = Columns<'mail_messages'>;

interface MailFilter {
  readonly recipient_id?: number | null | undefined;
  readonly project_id?: number | null | undefined;
  readonly event?: MailEvent | null | undefined;
  readonly state?: MailState | null | undefined;
  readonly target_type?: MailTarget | null | undefined;
  readonly target_id?: number | null | undefined;
}

type MailQuery = SelectQueryBuilder<Schema, 'mail_messages', MailRow>;

/** Returns one page of mails, newest first. index: mail_messages primary key, mail_messages_by_recipient, mail_messages_by_project, mail_messages_by_event, mail_messages_by_state, mail_messages_by_target */
export function listMails(db: Reader, filter: MailFilter, page: OffsetRequest): Promise<Page<MailRow>> {
  let query: MailQuery = db.selectFrom('mail_messages').selectAll();
  for (const name of ['recipient_id', 'project_id', 'event', 'state', 'target_id', 'target_type'] as const) {
    const value = filter[name];
    if (value != null) query = query.where(`mail_messages.${name}`, '=', value);
  }
  return paginate(db, query.orderBy('mail_messages.id', 'desc'), page);
}

/** index: mail_messages primary key */
export async function findMail(db: Reader, id: number): Promise<MailRow | null> {
  return (await db.selectFrom('mail_messages').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

/** The columns that all mails of one event share. */
export interface NewMails extends Columns<'mail_occurrences', 'lead' | 'content' | 'path'> {
  /** Identifies the event: a repeated write adds only missing recipients. */
  readonly key: string;
  readonly noteId: number | null;
  readonly state: 'held' | 'queued';
  readonly event: MailEvent;
  readonly projectId: number | null;
  readonly groupId: number | null;
  readonly target: { readonly type: MailTarget; readonly id: number };
  readonly subject: string;
  /** Returns the Message-ID. */
  readonly buildMessageId: (occurrenceId: number) => string;
  readonly inReplyTo: string | null;
}

/** Inserts one mail per recipient. Recipients who already have a mail of this event are skipped. */
export async function insertMails(tx: Transaction, mails: NewMails, recipients: readonly Recipient[]): Promise<void> {
  const occurrenceId = await findOrCreateOccurrence(tx, mails);
  const { state, event, projectId, groupId, target, subject, buildMessageId, inReplyTo } = mails;
  const sharedColumns = {
    occurrence_id: occurrenceId,
    state,
    event,
    project_id: projectId,
    group_id: groupId,
    target_type: target.type,
    target_id: target.id,
    subject,
    message_id: buildMessageId(occurrenceId),
    in_reply_to: inReplyTo,
    next_attempt_at: tx.now,
    created_at: tx.now,
  };
  await tx
    .insertInto('mail_messages')
    .values(
      recipients.map(({ userId, email, reason, mention }) => ({
        ...sharedColumns,
        recipient_id: userId,
        recipient_email: email,
        reason,
        mention,
      })),
    )
    .onConflict((conflict) => conflict.columns(['occurrence_id', 'recipient_id']).doNothing())
    .execute();
}

/** Returns the id of the row that the mails of one event share. index: mail_occurrences_by_key */
async function findOrCreateOccurrence(
  tx: Transaction,
  { key, noteId, lead, content, path }: NewMails,
): Promise<number> {
  await tx
    .insertInto('mail_occurrences')
    .values({ key, note_id: noteId, lead, content, path, created_at: tx.now })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();
  const { id } = await tx.selectFrom('mail_occurrences').select('id').where('key', '=', key).executeTakeFirstOrThrow();
  return id;
}

/**
 * Records mentioned users as participants.
 * index: mail_mentions_by_issue, mail_mentions_by_merge_request, mail_mentions_by_epic, mail_mentions_by_commented_commit
 */
export async function insertMentions(
  tx: Transaction,
  { type, id }: NoteTarget,
  userIds: readonly number[],
): Promise<void> {
  if (userIds.length === 0) return;
  await tx
    .insertInto('mail_mentions')
    .values(userIds.map((user_id) => ({ user_id, [getForeignKeyColumn(type)]: id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Maximum number of distinct targets of one digest. */
const MAX_TARGETS = 500;

/** Returns the target from which the link of a mail unsubscribes: for commits, pipelines and alerts, the whole project. */
export function toUnsubscribableTarget({
  target_type: type,
  target_id: id,
  project_id,
}: Pick<MailRow, 'target_type' | 'target_id' | 'project_id'>): {
  readonly type: UnsubscribableTarget;
  readonly id: number;
} {
  if (type === 'Commit' || type === 'Pipeline' || type === 'Alert') return { type: 'Project', id: project_id! };
  return { type, id };
}

/** Returns the targets of the mails that were sent to this user as one digest. index: mail_messages_of_digest */
export async function listDigestTargets(db: Reader, digestId: number, userId: number) {
  const rows = await db
    .selectFrom('mail_messages')
    .select(['target_type', 'target_id', 'project_id'])
    .distinct()
    .where('digest_id', '=', digestId)
    .where('recipient_id', '=', userId)
    .where('state', '=', 'sent')
    .limit(MAX_TARGETS)
    .execute();
  return rows.map(toUnsubscribableTarget);
}
