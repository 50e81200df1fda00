import type { Transaction } from '#database/database.ts';
import { PIECE } from '#events/batches.ts';
import type { Services } from '#http/services.ts';
import { sweepInBatches } from '#jobs/delete-in-batches.ts';
import { defineJob } from '#jobs/job.ts';
import { DAY_MS, momentAfter } from '#runtime/clock.ts';

/** Days for which administrators see mails that were sent, that were given up or held back, or that nobody was to get any more. */
const KEPT_DAYS = 30;

const horizonOf = (tx: Transaction) => momentAfter(tx.now, -KEPT_DAYS * DAY_MS);

export const sweepMails = defineJob({
  kind: 'mail_sweep',
  async handle({ database }: Pick<Services, 'database'>) {
    await sweepInBatches(database, PIECE, removeSettled);
    for (const state of ['held', 'failed'] as const) {
      await sweepInBatches(database, PIECE, (tx, most) => removeLeft(tx, state, most));
    }
    await sweepInBatches(database, PIECE, removeUntold);
  },
});

export const sweepMailsDaily = { name: 'mail_sweep', cron: '20 2 * * *', job: sweepMails };

/** index: mail_messages_settled */
async function removeSettled(tx: Transaction, most: number): Promise<number> {
  const old = tx
    .selectFrom('mail_messages')
    .select('id')
    .where('settled_at', '<=', horizonOf(tx))
    .orderBy('settled_at')
    .limit(most);
  return (await tx.deleteFrom('mail_messages').where('id', 'in', old).returning('id').execute()).length;
}

/** Chosen: what nothing will be made of is kept as long as what was sent. index: mail_messages_by_state */
async function removeLeft(tx: Transaction, state: 'held' | 'failed', most: number): Promise<number> {
  // The oldest have the lowest ids: no others are looked at.
  const oldest = tx
    .selectFrom('mail_messages')
    .select(['id', 'created_at'])
    .where('state', '=', state)
    .orderBy('id')
    .limit(most);
  const old = tx.selectFrom(oldest.as('oldest')).select('oldest.id').where('oldest.created_at', '<=', horizonOf(tx));
  return (await tx.deleteFrom('mail_messages').where('id', 'in', old).returning('id').execute()).length;
}

/** What no mail tells of any more. index: mail_occurrences_by_created_at, mail_messages_by_occurrence */
async function removeUntold(tx: Transaction, most: number): Promise<number> {
  const untold = tx
    .selectFrom('mail_occurrences')
    .select('id')
    .where('created_at', '<=', horizonOf(tx))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mail_messages').select('mail_messages.id').whereRef('occurrence_id', '=', 'mail_occurrences.id'),
        ),
      ),
    )
    .limit(most);
  return (await tx.deleteFrom('mail_occurrences').where('id', 'in', untold).returning('id').execute()).length;
}
