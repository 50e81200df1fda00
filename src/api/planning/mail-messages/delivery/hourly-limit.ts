import type { Reader, Transaction } from '#database/database.ts';
import { addMilliseconds } from '#runtime/clock.ts';
import type { StoredMail } from '../content/compose.ts';

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
export async function loadHourlyAllowance(db: Reader, address: string, now: string): Promise<HourlyAllowance> {
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
export async function postponeToDigest(
  tx: Transaction,
  mails: readonly StoredMail[],
  availableAt: string,
): Promise<void> {
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
