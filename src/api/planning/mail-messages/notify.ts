import { randomUUID } from 'node:crypto';
import type { NotificationTarget } from '#activity/index.ts';
import { loadUsersById } from '#api/identity/users/index.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { Config } from '#config.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isScheduledForDeletion } from '#domain/namespaces/name-validation.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';
import type { NotifiableEvent } from '#events/notifiable-events.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue, type JobRun } from '#jobs/job.ts';
import { buildMessageId, getUrlHost } from '#mail/mailer.ts';
import { addDays, getToday } from '#runtime/clock.ts';
import { composeText, THREAD_STARTING_EVENTS } from './content/texts.ts';
import { enqueueDelivery } from './delivery/deliver.ts';
import { loadCandidateBatch } from './recipients/candidates.ts';
import { selectRecipients } from './recipients/recipients.ts';
import { insertMails, insertMentions, type NewMails } from './store.ts';
import { getAssignedUserIds, loadNewMailSubject, type MailSubject, type NewMailSubject } from './subjects/subject.ts';

// Writes the mails of notifiable events. A unit of work enqueues one job per event, whatever the number of recipients; the job finds the
// recipients and writes their mails in batches.

/** Returns whether this server writes mails. */
export const isMailEnabled = ({ mail }: Pick<Config, 'mail'>): boolean => mail.delivery !== 'off';

type MailWriterServices = Pick<Services, 'config' | 'database' | 'git' | 'serverUrl'>;

interface NotifyPayload extends NotifiableEvent {
  /** Unique per event. */
  readonly key: string;
  /** Id of the acting user; null if none. */
  readonly by: number | null;
}

/** Finds the recipients of one event and writes their mails. */
export const notifyUsers = defineJob({
  kind: 'notify_users',
  handle: (services: MailWriterServices, payload: NotifyPayload, run) => writeMails(services, payload, run),
});

/** Enqueues the job in the unit of work: a rolled back event notifies nobody, a committed event is never lost. */
export const onNotifiableEvent = defineSubscription({
  event: 'notifiable-event-occurred',
  isEnabled: isMailEnabled,
  inTransaction: (uow, occurrence) =>
    enqueue(uow, notifyUsers, { ...occurrence, key: randomUUID(), by: uow.actor.user?.id ?? null }),
});

/** Notifies of a moved project, unless the move is the rename of a scheduled deletion or its restoration. */
export const onProjectMoved = defineSubscription({
  event: 'project-moved',
  isEnabled: isMailEnabled,
  async inTransaction(uow, { projectId: id, oldPaths }) {
    if (oldPaths.some(isScheduledForDeletion)) return;
    await uow.publish('notifiable-event-occurred', { event: 'moved_project', about: { type: 'Project', id } });
  },
});

/** Enqueues the notification of an event without an actor, once per key. */
export function enqueueSystemNotification(tx: Transaction, occurrence: NotifiableEvent, key: string): Promise<void> {
  return enqueue(tx, notifyUsers, { ...occurrence, key, by: null }, { key });
}

async function writeMails(
  { config, database, git, serverUrl }: MailWriterServices,
  payload: NotifyPayload,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  if (!isMailEnabled(config)) return;
  const db = database.reader;
  const subject = await loadNewMailSubject(db, git, payload);
  if (subject === null || subject.container.mailsDisabled || isDeletionRename(subject)) return;
  const mails = await composeNewMails({ config, serverUrl }, db, subject, payload);
  const { noteTarget } = subject;
  const mentionedIds = await findMentionedParticipants(db, subject);
  if (noteTarget !== null) await database.transaction((tx) => insertMentions(tx, noteTarget, mentionedIds));
  for (let afterId: number | null = 0; afterId !== null; ) {
    signal.throwIfAborted();
    const { involvements, lastId } = await loadCandidateBatch(db, subject, afterId, BATCH_SIZE);
    const recipients = await selectRecipients(db, subject, payload.by, involvements);
    if (recipients.length > 0) {
      await database.transaction(async (tx) => {
        await insertMails(tx, mails, recipients);
        if (mails.state === 'queued') await enqueueDelivery(tx);
      });
    }
    afterId = lastId;
  }
}

/** Returns the mentioned users who become participants. An internal comment adds only users who may read it. */
async function findMentionedParticipants(
  db: Reader,
  { note, noteable, mentionedUserIds }: NewMailSubject,
): Promise<readonly number[]> {
  return note?.internal && noteable !== null
    ? noteable.filterReaders(db, mentionedUserIds, note.internal)
    : mentionedUserIds;
}

/** Returns whether the project was renamed because it is scheduled for deletion. */
const isDeletionRename = ({ event, container }: MailSubject) =>
  event === 'moved_project' && isScheduledForDeletion(container.fullPath);

/** Prefix of the Message-ID of a thread, by type of noteable. */
const MESSAGE_ID_PREFIXES = {
  Issue: 'issue',
  MergeRequest: 'merge_request',
  Epic: 'epic',
  Commit: 'commit',
} as const satisfies Record<NotificationTarget['type'], string>;

async function composeNewMails(
  { config, serverUrl }: Pick<MailWriterServices, 'config' | 'serverUrl'>,
  db: Reader,
  subject: NewMailSubject,
  { key, by: actorId }: NotifyPayload,
): Promise<NewMails> {
  const { event, container, noteable, commit, noteTarget, pipeline, alert, note, text: content, target } = subject;
  const assignedIds = noteable === null ? [] : getAssignedUserIds(event, noteable);
  const usersById = await loadUsersById(db, assignedIds);
  const actor = (await loadCaller(db, actorId, null)).user;
  const text = composeText({
    event,
    container,
    noteable,
    commit,
    pipeline,
    alert,
    actor: actor?.name ?? null,
    note,
    content,
    assignedNames: assignedIds.flatMap((id) => usersById.get(id)?.name ?? []),
  });
  const host = getUrlHost(serverUrl());
  const threadMessageId =
    noteTarget === null ? null : buildMessageId(`${MESSAGE_ID_PREFIXES[noteTarget.type]}_${noteTarget.id}`, host);
  return {
    ...text,
    key,
    noteId: note?.id ?? null,
    state: config.mail.delivery === 'smtp' ? 'queued' : 'held',
    event,
    projectId: container.projectId,
    groupId: container.groupId,
    target,
    buildMessageId(occurrenceId) {
      if (note !== null) return buildMessageId(`note_${note.id}`, host);
      return THREAD_STARTING_EVENTS.includes(event) && threadMessageId !== null
        ? threadMessageId
        : buildMessageId(`${event}_${occurrenceId}`, host);
    },
    inReplyTo: THREAD_STARTING_EVENTS.includes(event) ? null : threadMessageId,
  };
}

/** Notifies of open issues that are due on the next day, once per issue and day (contract/activity.md Part 5). */
export const notifyOfDueIssues = defineJob({
  kind: 'notify_of_due_issues',
  async handle({ config, database, clock }: Pick<Services, 'config' | 'database' | 'clock'>) {
    if (!isMailEnabled(config)) return;
    const dueDate = addDays(getToday(clock), 1);
    for (let lastId = 0; ; ) {
      const ids = await listDueIssueIds(database.reader, dueDate, lastId);
      await database.transaction(async (tx) => {
        for (const id of ids) {
          await enqueueSystemNotification(
            tx,
            { event: 'issue_due', about: { type: 'Issue', id } },
            `issue_due_${id}_${dueDate}`,
          );
        }
      });
      if (ids.length < BATCH_SIZE) return;
      lastId = ids.at(-1)!;
    }
  },
});

export const notifyOfDueIssuesDaily = {
  name: 'notify_of_due_issues',
  cron: '50 0 * * *',
  job: notifyOfDueIssues,
  isEnabled: isMailEnabled,
};

/** index: issues_due */
async function listDueIssueIds(db: Reader, dueDate: string, lastId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('issues')
    .select('id')
    .where('state', '=', 'opened')
    .where('due_date', '=', dueDate)
    .where('id', '>', lastId)
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute();
  return rows.map(({ id }) => id);
}
