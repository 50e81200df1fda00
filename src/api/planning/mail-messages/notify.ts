import { randomUUID } from 'node:crypto';
import { usersById } from '#api/identity/users/index.ts';
import { callerOf } from '#authentication/users/users.ts';
import type { Config } from '#config.ts';
import type { Transaction } from '#database/database.ts';
import { isScheduledForDeletion } from '#domain/namespaces/name-validation.ts';
import { PIECE } from '#events/batches.ts';
import { subscription } from '#events/event-bus.ts';
import type { Occurrence } from '#events/mail-occurrences.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue, type JobRun } from '#jobs/job.ts';
import { hostOf, messageId } from '#mail/header-text.ts';
import { FIRST, textOf } from './content/texts.ts';
import { deliverSoon } from './delivery/deliver.ts';
import { pieceOfAudience } from './recipients/candidates.ts';
import { recipientsAmong } from './recipients/recipients.ts';
import { insertMails, type NewMails, rememberMentioned } from './store.ts';
import { WORDS } from './subjects/noteable.ts';
import { type FreshMatter, givenTo, type Matter, readFreshMatter } from './subjects/subject.ts';

/**
 * From what happens to the mails that tell of it. The act itself leaves one piece of work behind, however many are to be
 * told; that finds them and writes their mails, some at a time.
 */

/** Does this server write mails at all? */
export const writesMails = ({ mail }: Pick<Config, 'mail'>): boolean => mail.delivery !== 'off';

type Writing = Pick<Services, 'config' | 'database' | 'ownUrl'>;

interface Telling extends Occurrence {
  /** Of this occurrence and no other. */
  readonly key: string;
  /** Who did it; null: nobody. */
  readonly by: number | null;
}

export const tell = defineJob({
  kind: 'mail_tell',
  handle: (services: Writing, telling: Telling, run) => writeMails(services, telling, run),
});

/** Part of the act: what is rolled back is not told, and what is committed is. */
export const tellOfOccurrences = subscription({
  event: 'occurred',
  when: writesMails,
  inTransaction: (uow, occurrence) =>
    enqueue(uow, tell, { ...occurrence, key: randomUUID(), by: uow.actor.user?.id ?? null }),
});

/** The same of a project that has moved; that it gives its path away, or gets it back, is no move. */
export const tellOfMoves = subscription({
  event: 'project-moved',
  when: writesMails,
  async inTransaction(uow, { projectId: id, oldPaths }) {
    if (oldPaths.some(isScheduledForDeletion)) return;
    await uow.publish('occurred', { event: 'moved_project', about: { type: 'Project', id } });
  },
});

/** Tells of what nobody has done, once for each key. */
export function tellBySelf(tx: Transaction, occurrence: Occurrence, key: string): Promise<void> {
  return enqueue(tx, tell, { ...occurrence, key, by: null }, { key });
}

async function writeMails(
  { config, database, ownUrl }: Writing,
  telling: Telling,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  if (!writesMails(config)) return;
  const db = database.reader;
  const matter = await readFreshMatter(db, telling);
  if (matter === null || matter.place.mailsOff || isPutAway(matter)) return;
  const mails = await mailsOf({ config, ownUrl }, db, matter, telling);
  const { resource } = matter;
  const mentioned = await takingPart(db, matter);
  if (resource !== null) await database.transaction((tx) => rememberMentioned(tx, resource, mentioned));
  for (let after: number | null = 0; after !== null; ) {
    signal.throwIfAborted();
    const { involvements, last } = await pieceOfAudience(db, matter, after, PIECE);
    const recipients = await recipientsAmong(db, matter, telling.by, involvements);
    if (recipients.length > 0) {
      await database.transaction(async (tx) => {
        await insertMails(tx, mails, recipients);
        if (mails.state === 'queued') await deliverSoon(tx);
      });
    }
    after = last;
  }
}

/** Of those whom the new text addresses whoever takes part from then on: what members say to each other invites nobody else. */
async function takingPart(db: Services['database']['reader'], matter: FreshMatter): Promise<readonly number[]> {
  const { note, told, mentioned } = matter;
  return note?.internal && told !== null ? told.readers(db, mentioned, true) : mentioned;
}

/** It was renamed because it is to be deleted. */
const isPutAway = ({ event, place }: Matter) => event === 'moved_project' && isScheduledForDeletion(place.fullPath);

async function mailsOf(
  { config, ownUrl }: Pick<Writing, 'config' | 'ownUrl'>,
  db: Services['database']['reader'],
  matter: FreshMatter,
  { key, by }: Telling,
): Promise<NewMails> {
  const { event, place, told, pipeline, alert, note, text: content, target } = matter;
  const given = told === null ? [] : givenTo(event, told);
  const users = await usersById(db, given);
  const actor = (await callerOf(db, by, null)).user;
  const text = textOf({
    event,
    place,
    told,
    pipeline,
    alert,
    actor: actor?.name ?? null,
    note,
    content,
    given: given.flatMap((id) => users.get(id)?.name ?? []),
  });
  const host = hostOf(ownUrl());
  const root = told === null ? null : messageId(`${WORDS[told.resource.type].name}_${told.resource.id}`, host);
  return {
    ...text,
    key,
    noteId: note?.id ?? null,
    state: config.mail.delivery === 'smtp' ? 'queued' : 'held',
    event,
    projectId: place.projectId,
    groupId: place.groupId,
    target,
    messageId(occurrence) {
      if (note !== null) return messageId(`note_${note.id}`, host);
      return FIRST.includes(event) && root !== null ? root : messageId(`${event}_${occurrence}`, host);
    },
    inReplyTo: FIRST.includes(event) ? null : root,
  };
}
