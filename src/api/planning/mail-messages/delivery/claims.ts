import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { skipLocked } from '#database/dialect.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import type { StoredMail } from '../content/compose.ts';

// Leases on mails that are being sent. A lease is longer than sending can take, so an expired lease means that its process died.

/** Maximum number of delivery attempts per mail. */
export const MAX_ATTEMPTS = 6;
/** Duration of a lease in milliseconds. */
const LEASE_MS = 300_000;

/** Maximum number of mails in one digest. */
const MAX_DIGEST_SIZE = 500;

/** Claims at most `limit` due mails, oldest first, and counts the attempt. Expired leases are released first; mails without further attempts then fail. index: mail_messages_due, mail_messages_leased */
export async function claimDueMails(tx: Transaction, limit: number): Promise<StoredMail[]> {
  await tx
    .updateTable('mail_messages')
    .set((eb) => ({
      state: eb
        .case()
        .when('attempts', '>=', MAX_ATTEMPTS)
        .then(sql.lit('failed' as const))
        .else(sql.lit('queued' as const))
        .end(),
      lease_until: null,
    }))
    .where('state', '=', sql.lit('sending' as const))
    .where('lease_until', '<=', tx.now)
    .execute();
  const dueMails = tx
    .selectFrom('mail_messages as due')
    .select('due.id')
    .where('due.state', '=', sql.lit('queued' as const))
    .where('due.next_attempt_at', '<=', tx.now)
    .orderBy('due.next_attempt_at')
    .orderBy('due.id')
    .limit(limit);
  const claimedRows = await buildClaimUpdate(tx).where('id', 'in', skipLocked(tx, dueMails)).returning('id').execute();
  return loadStoredMails(
    tx,
    claimedRows.map(({ id }) => id),
  );
}

/** Claims the other mails that wait for the same digest. index: mail_messages_waiting */
export async function claimDigest(tx: Transaction, { recipient_email, digest_id }: StoredMail): Promise<StoredMail[]> {
  const waitingMails = tx
    .selectFrom('mail_messages as waiting')
    .select('waiting.id')
    .where('waiting.state', '=', sql.lit('queued' as const))
    .where('waiting.recipient_email', '=', recipient_email)
    .where('waiting.digest_id', '=', digest_id)
    .orderBy('waiting.id')
    .limit(MAX_DIGEST_SIZE);
  const claimedRows = await buildClaimUpdate(tx)
    .where('id', 'in', skipLocked(tx, waitingMails))
    .returning('id')
    .execute();
  return loadStoredMails(
    tx,
    claimedRows.map(({ id }) => id),
  );
}

/** Builds the update that takes the lease and counts the attempt. */
function buildClaimUpdate(tx: Transaction) {
  return tx.updateTable('mail_messages').set((eb) => ({
    state: 'sending' as const,
    lease_until: addMilliseconds(tx.now, LEASE_MS),
    attempts: eb('attempts', '+', 1),
  }));
}

/** index: mail_messages primary key, mail_occurrences primary key */
async function loadStoredMails(db: Reader, ids: readonly number[]): Promise<StoredMail[]> {
  if (ids.length === 0) return [];
  return db
    .selectFrom('mail_messages')
    .innerJoin('mail_occurrences', 'mail_occurrences.id', 'mail_messages.occurrence_id')
    .selectAll('mail_messages')
    .select(['mail_occurrences.note_id', 'mail_occurrences.lead', 'mail_occurrences.path'])
    .where('mail_messages.id', 'in', ids)
    .orderBy('mail_messages.id')
    .execute();
}

/** Loads the content of a mail; digests omit it. index: mail_occurrences primary key */
export async function loadContent(db: Reader, { occurrence_id }: StoredMail): Promise<string> {
  const row = await db
    .selectFrom('mail_occurrences')
    .select('content')
    .where('id', '=', occurrence_id)
    .executeTakeFirst();
  return row?.content ?? '';
}

/** Stores the outcome of claimed mails and ends their leases. Skips mails that were claimed again after their lease expired. */
export async function recordDeliveryResult(
  tx: Transaction,
  mails: readonly StoredMail[],
  outcome: {
    readonly state: 'sent' | 'skipped' | 'failed' | 'queued';
    readonly error?: string;
    readonly nextAttemptAt?: string;
    /** Id of the digest in which the mails were sent; null for a mail sent alone. */
    readonly digestId?: number | null;
  },
): Promise<void> {
  const { state, error, nextAttemptAt, digestId } = outcome;
  const isSettled = state === 'sent' || state === 'skipped';
  for (const { id, lease_until } of mails) {
    await tx
      .updateTable('mail_messages')
      .set({
        state,
        lease_until: null,
        ...(state === 'sent' ? { sent_at: tx.now, last_error: null } : {}),
        ...(isSettled ? { settled_at: tx.now } : {}),
        ...(error === undefined ? {} : { last_error: error }),
        ...(digestId === undefined ? {} : { digest_id: digestId }),
        ...(nextAttemptAt === undefined ? {} : { next_attempt_at: nextAttemptAt }),
      })
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('lease_until', '=', lease_until)
      .execute();
  }
}

/** Returns the next time at which a mail is due or a lease expires; null if no mail is queued or leased. index: mail_messages_due, mail_messages_leased */
export async function findNextDueTime(db: Reader): Promise<string | null> {
  const queuedMails = db
    .selectFrom('mail_messages')
    .select('next_attempt_at as time')
    .where('state', '=', sql.lit('queued' as const));
  const leasedMails = db
    .selectFrom('mail_messages')
    .select('lease_until as time')
    .where('state', '=', sql.lit('sending' as const));
  const [nextAttempt, nextLeaseEnd] = await Promise.all([
    queuedMails.orderBy('next_attempt_at').limit(1).executeTakeFirst(),
    leasedMails.orderBy('lease_until').limit(1).executeTakeFirst(),
  ]);
  return [nextAttempt?.time, nextLeaseEnd?.time].filter((time) => time != null).sort()[0] ?? null;
}
