import type { Config } from '#config.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { MAX_CONNECTIONS, type Mail } from '#mail/mailer.ts';
import { addMilliseconds, timestamp } from '#runtime/clock.ts';
import { composeDigest, composeMail, getDigestId, type StoredMail } from '../content/compose.ts';
import { isStillRecipient, loadCandidateDetails } from '../recipients/recipients.ts';
import { loadMailSubject, type MailSubject } from '../subjects/subject.ts';
import {
  claimDigest,
  claimDueMails,
  findNextDueTime,
  loadContent,
  MAX_ATTEMPTS,
  recordDeliveryResult,
} from './claims.ts';

/**
 * Maximum number of mails per address and hour. Mails above the limit wait and are sent as one digest. The sent
 * rows are counted, so that the limit holds across processes.
 */
const MAX_PER_HOUR = 60;
const HOUR_MS = 3_600_000;

interface HourlyAllowance {
  /** Number of mails that may be sent to the address now. */
  readonly remaining: number;
  /** Time from which the next mail may be sent if `remaining` is 0. */
  readonly availableAt: string;
}

/** Returns how many mails may be sent to the address now. index: mail_messages_sent */
async function loadHourlyAllowance(db: Reader, address: string, now: string): Promise<HourlyAllowance> {
  const windowStart = addMilliseconds(now, -HOUR_MS);
  const { mailCount, oldestSentAt } = await db
    .selectFrom('mail_messages')
    .select((eb) => [
      // A digest counts as one mail.
      eb.fn.count<number>(eb.fn.coalesce('digest_id', 'id')).distinct().as('mailCount'),
      eb.fn.min('sent_at').as('oldestSentAt'),
    ])
    .where('recipient_email', '=', address)
    .where('sent_at', '>', windowStart)
    .executeTakeFirstOrThrow();
  return {
    remaining: Math.max(0, MAX_PER_HOUR - mailCount),
    availableAt: addMilliseconds(oldestSentAt ?? now, HOUR_MS),
  };
}

/**
 * Postpones mails above the limit to the digest of their address: the waiting one, or a new one with the id of the first mail.
 * This does not count as an attempt. index: mail_messages_waiting
 */
async function postponeToDigest(tx: Transaction, mails: readonly StoredMail[], availableAt: string): Promise<void> {
  const [firstMail] = mails;
  if (firstMail === undefined) return;
  const waitingMail = await tx
    .selectFrom('mail_messages')
    .select('digest_id')
    .where('state', '=', 'queued')
    .where('recipient_email', '=', firstMail.recipient_email)
    .where('digest_id', 'is not', null)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  for (const { id, lease_until, digest_id } of mails) {
    await tx
      .updateTable('mail_messages')
      .set((eb) => ({
        state: 'queued' as const,
        attempts: eb('attempts', '-', 1),
        lease_until: null,
        digest_id: digest_id ?? waitingMail?.digest_id ?? firstMail.id,
        next_attempt_at: availableAt,
      }))
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('lease_until', '=', lease_until)
      .execute();
  }
}

// Delivery of mails (contract/activity.md Part 5 "Outbox and delivery"): one job at a time across all processes claims due mails
// until none are left. No request waits for it.

const isSmtpEnabled = ({ mail }: Pick<Config, 'mail'>): boolean => mail.delivery === 'smtp';

type DeliveryServices = Pick<
  Services,
  'config' | 'database' | 'clock' | 'mailer' | 'secretKey' | 'log' | 'metrics' | 'serverUrl'
>;

/** Maximum number of claims per run. A shutdown waits for the run, so it must end soon. */
const MAX_ROUNDS = 5;

/** Sends due mails in rounds, then enqueues itself for the next due time. */
export const deliverMails = defineJob({
  kind: 'deliver_mails',
  async handle(services: DeliveryServices, _payload: Record<string, never>, { signal }) {
    const { config, database } = services;
    if (!isSmtpEnabled(config)) return;
    for (let round = 0; round < MAX_ROUNDS && !signal.aborted; round++) {
      const claimedMails = await database.transaction((tx) => claimDueMails(tx, MAX_CONNECTIONS), {
        isolation: 'read committed',
      });
      if (claimedMails.length === 0) break;
      await sendAll(services, claimedMails);
    }
    const nextDueTime = await findNextDueTime(database.reader);
    if (nextDueTime !== null) await database.transaction((tx) => enqueueDeliveryAt(tx, nextDueTime));
  },
});

/** Delivers queued mails for which no job is enqueued: after a change of settings, or if the job queue has given up. */
export const deliverMailsRegularly = {
  name: 'deliver_mails',
  cron: '*/10 * * * *',
  job: deliverMails,
  isEnabled: isSmtpEnabled,
};

/** Enqueues the delivery job in the transaction that writes mails. */
export const enqueueDelivery = (tx: Transaction): Promise<void> => enqueueDeliveryAt(tx, tx.now);

function enqueueDeliveryAt(tx: Transaction, runAt: string): Promise<void> {
  return enqueue(tx, deliverMails, {}, { key: 'deliver_mails', runAt });
}

/** Sends mails, grouped by address because the hourly limit applies to each address. */
async function sendAll(services: DeliveryServices, claimedMails: readonly StoredMail[]): Promise<void> {
  const mailsByAddress = Map.groupBy(claimedMails, ({ recipient_email }) => recipient_email);
  const loadSubject = createCachedSubjectLoader(services.database.reader);
  await Promise.all(
    [...mailsByAddress].map(([address, mails]) => sendToAddress(services, loadSubject, address, mails)),
  );
}

type LoadSubject = (mail: StoredMail) => Promise<MailSubject | null>;

/** Returns a loader that reads the subject of each event once; mails sent together often share it. */
function createCachedSubjectLoader(db: Reader): LoadSubject {
  const subjectsByOccurrence = new Map<number, Promise<MailSubject | null>>();
  return ({ occurrence_id, event, target_type, target_id, note_id }) => {
    const subjectRef = note_id === null ? { type: target_type, id: target_id } : { type: 'Note' as const, id: note_id };
    const subject = subjectsByOccurrence.get(occurrence_id) ?? loadMailSubject(db, { event, about: subjectRef });
    subjectsByOccurrence.set(occurrence_id, subject);
    return subject;
  };
}

async function sendToAddress(
  services: DeliveryServices,
  loadSubject: LoadSubject,
  address: string,
  mails: readonly StoredMail[],
): Promise<void> {
  const { database, clock } = services;
  const { remaining, availableAt } = await loadHourlyAllowance(database.reader, address, timestamp(clock));
  // If none remains, digest mails are postponed like all others. A digest takes one of the remaining mails.
  const digestMails = remaining === 0 ? [] : mails.filter(({ digest_id }) => digest_id !== null);
  const singleMails = mails.filter((mail) => !digestMails.includes(mail));
  const allowedCount = digestMails.length > 0 ? remaining - 1 : remaining;
  const excessMails = singleMails.slice(allowedCount);
  if (excessMails.length > 0) await database.transaction((tx) => postponeToDigest(tx, excessMails, availableAt));
  await Promise.all([
    ...singleMails.slice(0, allowedCount).map((mail) => send(services, loadSubject, [mail])),
    digestMails.length > 0 ? sendDigest(services, loadSubject, digestMails) : undefined,
  ]);
}

/** Sends the claimed mails of a digest together with the other mails that wait for it. */
async function sendDigest(
  services: DeliveryServices,
  loadSubject: LoadSubject,
  claimedMails: readonly StoredMail[],
): Promise<void> {
  const waitingMails = await services.database.transaction((tx) => claimDigest(tx, claimedMails[0]!));
  await send(services, loadSubject, [...claimedMails, ...waitingMails]);
}

/** Sends these mails to one recipient, several as a digest. Mails that the recipient may no longer get are skipped. */
async function send(services: DeliveryServices, loadSubject: LoadSubject, mails: readonly StoredMail[]): Promise<void> {
  const { database, clock, mailer, metrics, secretKey, serverUrl } = services;
  const [deliverable, droppedMails] = await partitionDeliverable(database.reader, loadSubject, mails);
  if (droppedMails.length > 0) {
    await database.transaction((tx) => recordDeliveryResult(tx, droppedMails, { state: 'skipped' }));
    metrics.recordMails('skipped', droppedMails.length);
  }
  const [firstDeliverable] = deliverable;
  if (firstDeliverable === undefined) return;
  const context = { baseUrl: serverUrl(), key: await secretKey(), date: clock.now() };
  const storedMails = deliverable.map(({ mail }) => mail);
  // A digest of which only one mail is left is sent as a single mail.
  const isDigest = deliverable.length > 1;
  const mail: Mail = isDigest
    ? composeDigest(context, storedMails)
    : composeMail(
        context,
        firstDeliverable.mail,
        await loadContent(database.reader, firstDeliverable.mail),
        firstDeliverable.subject,
      );
  const outcome = await mailer.send(mail);
  const digestId = isDigest ? getDigestId(storedMails) : null;
  if (outcome.sent) {
    await database.transaction((tx) => recordDeliveryResult(tx, storedMails, { state: 'sent', digestId }));
    metrics.recordMails('sent', storedMails.length);
    return;
  }
  await database.transaction((tx) => requeueOrFail(tx, storedMails, outcome));
  for (const storedMail of storedMails)
    metrics.recordMails(isLastAttempt(storedMail, outcome) ? 'failed' : 'retried', 1);
  const { final, error } = outcome;
  services.log.warn(
    { mail: firstDeliverable.mail.id, attempt: firstDeliverable.mail.attempts, final, error },
    'A mail could not be sent',
  );
}

/** Splits mails into those whose recipient may still read the subject, and the others. */
async function partitionDeliverable(db: Reader, loadSubject: LoadSubject, mails: readonly StoredMail[]) {
  const deliverable: { readonly mail: StoredMail; readonly subject: MailSubject }[] = [];
  const droppedMails: StoredMail[] = [];
  for (const mail of mails) {
    const { recipient_id, recipient_email: email, mention } = mail;
    const subject = await loadSubject(mail);
    const details = subject && (await loadCandidateDetails(db, subject, [recipient_id]));
    if (subject !== null && isStillRecipient(subject, details?.get(recipient_id), { email, mention }))
      deliverable.push({ mail, subject });
    else droppedMails.push(mail);
  }
  return [deliverable, droppedMails] as const;
}

/** Delays after the first, second, ... failed attempt. */
const RETRY_DELAYS_MINUTES = [1, 5, 15, 60, 240];
const MINUTE_MS = 60_000;

/**
 * Returns the delay before the next attempt in milliseconds, with 20 % jitter so that failed mails are not all retried at
 * the same time.
 */
export function getRetryDelayMs(attempts: number, random = Math.random()): number {
  return Math.round(
    RETRY_DELAYS_MINUTES[Math.min(attempts, RETRY_DELAYS_MINUTES.length) - 1]! * MINUTE_MS * (0.8 + 0.4 * random),
  );
}

/** Returns whether a failed mail is not tried again: after a final error, or after the last attempt. */
function isLastAttempt({ attempts }: StoredMail, { final }: { readonly final: boolean }): boolean {
  return final || attempts >= MAX_ATTEMPTS;
}

/** Queues mails again after a failed attempt. After a final error or the last attempt, they fail. */
async function requeueOrFail(
  tx: Transaction,
  mails: readonly StoredMail[],
  { final, error }: { readonly final: boolean; readonly error: string },
): Promise<void> {
  for (const mail of mails) {
    if (isLastAttempt(mail, { final })) await recordDeliveryResult(tx, [mail], { state: 'failed', error });
    else {
      const nextAttemptAt = addMilliseconds(tx.now, getRetryDelayMs(mail.attempts));
      await recordDeliveryResult(tx, [mail], { state: 'queued', error, nextAttemptAt });
    }
  }
}
