import type { Reader, Transaction } from '#database/database.ts';
import { momentAfter } from '#runtime/clock.ts';
import type { StoredMail } from '../content/compose.ts';

/**
 * How many mails one address gets in an hour. What is over waits until the hour lets one through, and goes as one. It is
 * counted by what was sent, so that all processes count the same.
 */
const MOST_IN_HOUR = 60;
const HOUR_MS = 3_600_000;

interface Room {
  /** So many mails may go to the address now. */
  readonly left: number;
  /** From when on another one may, if none is left. */
  readonly opensAt: string;
}

/** index: mail_messages_sent */
export async function roomAt(db: Reader, address: string, now: string): Promise<Room> {
  const since = momentAfter(now, -HOUR_MS);
  const { mails, oldest } = await db
    .selectFrom('mail_messages')
    .select((eb) => [
      // Those of one digest were one mail.
      eb.fn.count<number>(eb.fn.coalesce('digest_id', 'id')).distinct().as('mails'),
      eb.fn.min('sent_at').as('oldest'),
    ])
    .where('recipient_email', '=', address)
    .where('sent_at', '>', since)
    .executeTakeFirstOrThrow();
  return { left: Math.max(0, MOST_IN_HOUR - mails), opensAt: momentAfter(oldest ?? now, HOUR_MS) };
}

/**
 * Lets mails that are too many wait for the digest of their address: that which waits already, or a new one that begins
 * with the first of them. It counts as no attempt. index: mail_messages_waiting
 */
export async function putTogether(tx: Transaction, mails: readonly StoredMail[], opensAt: string): Promise<void> {
  const [first] = mails;
  if (first === undefined) return;
  const waiting = await tx
    .selectFrom('mail_messages')
    .select(['digest_id', 'next_attempt_at'])
    .where('state', '=', 'queued')
    .where('recipient_email', '=', first.recipient_email)
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
        digest_id: digest_id ?? waiting?.digest_id ?? first.id,
        next_attempt_at: opensAt,
      }))
      .where('id', '=', id)
      .where('state', '=', 'sending')
      .where('lease_until', '=', lease_until)
      .execute();
  }
}
