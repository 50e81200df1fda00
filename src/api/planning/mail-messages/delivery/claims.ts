import { sql } from 'kysely';
import type { Reader, Transaction } from '#database/database.ts';
import { skipLocked } from '#database/dialect.ts';
import { momentAfter } from '#runtime/clock.ts';
import type { StoredMail } from '../content/compose.ts';

/**
 * How whoever sends a mail has it for himself for a while, and what becomes of it. A lease is longer than sending can take:
 * one that has run out is that of a process which has died.
 */

export const MOST_ATTEMPTS = 6;
const LEASE_MS = 300_000;

/** Mails that one digest takes along. */
const MOST_IN_DIGEST = 500;

/** Takes mails that are due, those first that have waited longest, and counts the attempt. index: mail_messages_due, mail_messages_leased */
export async function claimDue(tx: Transaction, most: number): Promise<StoredMail[]> {
  await tx
    .updateTable('mail_messages')
    .set((eb) => ({
      state: eb
        .case()
        .when('attempts', '>=', MOST_ATTEMPTS)
        .then(sql.lit('failed' as const))
        .else(sql.lit('queued' as const))
        .end(),
      lease_until: null,
    }))
    .where('state', '=', sql.lit('sending' as const))
    .where('lease_until', '<=', tx.now)
    .execute();
  const due = tx
    .selectFrom('mail_messages as due')
    .select('due.id')
    .where('due.state', '=', sql.lit('queued' as const))
    .where('due.next_attempt_at', '<=', tx.now)
    .orderBy('due.next_attempt_at')
    .orderBy('due.id')
    .limit(most);
  const claimed = await claiming(tx).where('id', 'in', skipLocked(tx, due)).returning('id').execute();
  return storedMails(
    tx,
    claimed.map(({ id }) => id),
  );
}

/** Takes besides what waits to go with this mail in one. index: mail_messages_waiting */
export async function claimDigest(tx: Transaction, { recipient_email, digest_id }: StoredMail): Promise<StoredMail[]> {
  const waiting = tx
    .selectFrom('mail_messages as due')
    .select('due.id')
    .where('due.state', '=', sql.lit('queued' as const))
    .where('due.recipient_email', '=', recipient_email)
    .where('due.digest_id', '=', digest_id)
    .orderBy('due.id')
    .limit(MOST_IN_DIGEST);
  const claimed = await claiming(tx).where('id', 'in', skipLocked(tx, waiting)).returning('id').execute();
  return storedMails(
    tx,
    claimed.map(({ id }) => id),
  );
}

function claiming(tx: Transaction) {
  return tx.updateTable('mail_messages').set((eb) => ({
    state: 'sending' as const,
    lease_until: momentAfter(tx.now, LEASE_MS),
    attempts: eb('attempts', '+', 1),
  }));
}

/** index: mail_messages primary key, mail_occurrences primary key */
async function storedMails(db: Reader, ids: readonly number[]): Promise<StoredMail[]> {
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

/** The text that a mail brings along, which those that go with others leave out. index: mail_occurrences primary key */
export async function contentOf(db: Reader, { occurrence_id }: StoredMail): Promise<string> {
  const row = await db
    .selectFrom('mail_occurrences')
    .select('content')
    .where('id', '=', occurrence_id)
    .executeTakeFirst();
  return row?.content ?? '';
}

/** What becomes of a mail that was claimed; nothing, if its lease has run out and others have it. */
export async function settle(
  tx: Transaction,
  mails: readonly StoredMail[],
  change: {
    readonly state: 'sent' | 'skipped' | 'failed' | 'queued';
    readonly error?: string;
    readonly nextAttemptAt?: string;
    /** As which they have left together; null: each by itself. */
    readonly digestId?: number | null;
  },
): Promise<void> {
  const { state, error, nextAttemptAt, digestId } = change;
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

/** The next moment at which a mail is due, or a lease runs out; null: nothing waits. index: mail_messages_due, mail_messages_leased */
export async function nextMoment(db: Reader): Promise<string | null> {
  const due = db
    .selectFrom('mail_messages')
    .select('next_attempt_at as at')
    .where('state', '=', sql.lit('queued' as const));
  const leased = db
    .selectFrom('mail_messages')
    .select('lease_until as at')
    .where('state', '=', sql.lit('sending' as const));
  const [first, second] = await Promise.all([
    due.orderBy('next_attempt_at').limit(1).executeTakeFirst(),
    leased.orderBy('lease_until').limit(1).executeTakeFirst(),
  ]);
  return [first?.at, second?.at].filter((at) => at != null).sort()[0] ?? null;
}
