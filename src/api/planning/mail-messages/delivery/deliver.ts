import type { Config } from '#config.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { CONNECTIONS, type Mail } from '#mail/mailer.ts';
import { momentAfter, timestamp } from '#runtime/clock.ts';
import { digestIdOf, digestOf, mailOf, type StoredMail } from '../content/compose.ts';
import { peopleAmong } from '../recipients/candidate-details.ts';
import { isStillTold } from '../recipients/recipients.ts';
import { type Matter, readMatter } from '../subjects/subject.ts';
import { claimDigest, claimDue, contentOf, MOST_ATTEMPTS, nextMoment, settle } from './claims.ts';
import { putTogether, roomAt } from './hourly-limit.ts';

/**
 * How mails leave (contract/activity.md Part 5 "Outbox and delivery"): one piece of work at a time, in whatever process, takes
 * some that are due, and goes on as long as there are any. No request waits for it.
 */

const sendsMails = ({ mail }: Pick<Config, 'mail'>): boolean => mail.delivery === 'smtp';

type Sending = Pick<Services, 'config' | 'database' | 'clock' | 'mailer' | 'secretKey' | 'log' | 'ownUrl'>;

/** So often one run takes mails: a server that is to stop waits for one. */
const TURNS = 5;

export const deliver = defineJob({
  kind: 'mail_deliver',
  async handle(services: Sending, _payload: Record<string, never>, { signal }) {
    const { config, database } = services;
    if (!sendsMails(config)) return;
    for (let turn = 0; turn < TURNS && !signal.aborted; turn++) {
      const claimed = await database.transaction((tx) => claimDue(tx, CONNECTIONS), { isolation: 'read committed' });
      if (claimed.length === 0) break;
      await sendAll(services, claimed);
    }
    const next = await nextMoment(database.reader);
    if (next !== null) await database.transaction((tx) => deliverAt(tx, next));
  },
});

/** Whatever has been lost meanwhile is found again: settings that have changed, a queue that has given up. */
export const deliverOften = { name: 'mail_deliver', cron: '*/10 * * * *', job: deliver, when: sendsMails };

/** Part of the act that writes mails. */
export const deliverSoon = (tx: Transaction): Promise<void> => deliverAt(tx, tx.now);

function deliverAt(tx: Transaction, runAt: string): Promise<void> {
  return enqueue(tx, deliver, {}, { key: 'mail_deliver', runAt });
}

/** Mails for the same address are looked at together: only so many of them may go in an hour. */
async function sendAll(services: Sending, claimed: readonly StoredMail[]): Promise<void> {
  const byAddress = Map.groupBy(claimed, ({ recipient_email }) => recipient_email);
  const read = readOnce(services.database.reader);
  await Promise.all([...byAddress].map(([address, mails]) => sendTo(services, read, address, mails)));
}

type ReadMatter = (mail: StoredMail) => Promise<Matter | null>;

/** Many of those that leave together tell of the same. */
function readOnce(db: Reader): ReadMatter {
  const known = new Map<number, Promise<Matter | null>>();
  return ({ occurrence_id, event, target_type, target_id, note_id }) => {
    const about = note_id === null ? { type: target_type, id: target_id } : { type: 'Note' as const, id: note_id };
    const reading = known.get(occurrence_id) ?? readMatter(db, { event, about });
    known.set(occurrence_id, reading);
    return reading;
  };
}

async function sendTo(
  services: Sending,
  read: ReadMatter,
  address: string,
  mails: readonly StoredMail[],
): Promise<void> {
  const { database, clock } = services;
  const { left, opensAt } = await roomAt(database.reader, address, timestamp(clock));
  const together = left === 0 ? [] : mails.filter(({ digest_id }) => digest_id !== null);
  const singles = mails.filter((mail) => !together.includes(mail));
  const rest = together.length > 0 ? left - 1 : left;
  const over = singles.slice(rest);
  if (over.length > 0) await database.transaction((tx) => putTogether(tx, over, opensAt));
  await Promise.all([
    ...singles.slice(0, rest).map((mail) => send(services, read, [mail])),
    together.length > 0 ? sendDigest(services, read, together) : undefined,
  ]);
}

async function sendDigest(services: Sending, read: ReadMatter, claimed: readonly StoredMail[]): Promise<void> {
  const others = await services.database.transaction((tx) => claimDigest(tx, claimed[0]!));
  await send(services, read, [...claimed, ...others]);
}

/** Sends these to one who may still be told of them, several in one. */
async function send(services: Sending, read: ReadMatter, mails: readonly StoredMail[]): Promise<void> {
  const { database, clock, mailer, secretKey, ownUrl } = services;
  const [told, dropped] = await stillTold(database.reader, read, mails);
  if (dropped.length > 0) await database.transaction((tx) => settle(tx, dropped, { state: 'skipped' }));
  const [first] = told;
  if (first === undefined) return;
  const writing = { base: ownUrl(), key: await secretKey(), date: clock.now() };
  const stored = told.map(({ mail }) => mail);
  const isDigest = told.length > 1;
  const mail: Mail = isDigest
    ? digestOf(writing, stored)
    : mailOf(writing, first.mail, await contentOf(database.reader, first.mail), first.matter);
  const outcome = await mailer.send(mail);
  const digestId = isDigest ? digestIdOf(stored) : null;
  if (outcome.sent) return database.transaction((tx) => settle(tx, stored, { state: 'sent', digestId }));
  await database.transaction((tx) => postpone(tx, stored, outcome));
  const { final, error } = outcome;
  services.log.warn({ mail: first.mail.id, attempt: first.mail.attempts, final, error }, 'A mail could not be sent');
}

/** Those whose recipient may read now what they tell of, and the others. */
async function stillTold(db: Reader, read: ReadMatter, mails: readonly StoredMail[]) {
  const told: { readonly mail: StoredMail; readonly matter: Matter }[] = [];
  const dropped: StoredMail[] = [];
  for (const mail of mails) {
    const { recipient_id, recipient_email: email, mention } = mail;
    const matter = await read(mail);
    const people = matter && (await peopleAmong(db, matter, [recipient_id]));
    if (matter !== null && isStillTold(matter, people?.get(recipient_id), { email, mention }))
      told.push({ mail, matter });
    else dropped.push(mail);
  }
  return [told, dropped] as const;
}

/** After the first, the second ... failed attempt, in minutes. */
const RESTS = [1, 5, 15, 60, 240];
const MINUTE_MS = 60_000;

/** Each a fifth longer or shorter, so that those which have failed together do not come back together. */
export function restAfter(attempts: number, random = Math.random()): number {
  return Math.round(RESTS[Math.min(attempts, RESTS.length) - 1]! * MINUTE_MS * (0.8 + 0.4 * random));
}

async function postpone(
  tx: Transaction,
  mails: readonly StoredMail[],
  { final, error }: { readonly final: boolean; readonly error: string },
): Promise<void> {
  for (const mail of mails) {
    if (final || mail.attempts >= MOST_ATTEMPTS) await settle(tx, [mail], { state: 'failed', error });
    else {
      const nextAttemptAt = momentAfter(tx.now, restAfter(mail.attempts));
      await settle(tx, [mail], { state: 'queued', error, nextAttemptAt });
    }
  }
}
