import type { Transaction } from '#database/database.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { defineJob, deleteInBatches } from '#jobs/job.ts';
import { addMilliseconds, DAY_MS } from '#runtime/clock.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { findMail, type MailRow } from '../store.ts';
import { enqueueDelivery } from './deliver.ts';

/** Queues a failed mail again, with as many attempts as a new one. index: mail_messages primary key */
export async function retryMail(uow: UnitOfWork, id: number): Promise<MailRow | Failure<'notFound' | 'notFailed'>> {
  const mail = await findMail(uow, id);
  if (mail === null) return fail('notFound');
  const queuedMail = await uow
    .updateTable('mail_messages')
    .set({ state: 'queued', attempts: 0, next_attempt_at: uow.now, digest_id: null })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .returningAll()
    .executeTakeFirst();
  if (queuedMail === undefined) return fail('notFailed');
  await enqueueDelivery(uow);
  return queuedMail;
}

/** Days for which settled, failed and held mails are retained for administrators. */
const RETENTION_DAYS = 30;

const getRetentionCutoff = (tx: Transaction) => addMilliseconds(tx.now, -RETENTION_DAYS * DAY_MS);

/** Deletes old mails, and occurrences without mails, in batches. */
export const cleanUpMails = defineJob({
  kind: 'clean_up_mails',
  async handle({ database }: Pick<Services, 'database'>) {
    await deleteInBatches(database, BATCH_SIZE, deleteSettledBatch);
    for (const state of ['held', 'failed'] as const) {
      await deleteInBatches(database, BATCH_SIZE, (tx, limit) => deleteUnsentBatch(tx, state, limit));
    }
    await deleteInBatches(database, BATCH_SIZE, deleteOrphanedOccurrences);
  },
});

export const cleanUpMailsDaily = { name: 'clean_up_mails', cron: '20 2 * * *', job: cleanUpMails };

/** index: mail_messages_settled */
async function deleteSettledBatch(tx: Transaction, limit: number): Promise<number> {
  const oldMails = tx
    .selectFrom('mail_messages')
    .select('id')
    .where('settled_at', '<=', getRetentionCutoff(tx))
    .orderBy('settled_at')
    .limit(limit);
  return (await tx.deleteFrom('mail_messages').where('id', 'in', oldMails).returning('id').execute()).length;
}

/** Deletes held and failed mails after the same time as sent mails, which the contract does not define. index: mail_messages_by_state */
async function deleteUnsentBatch(tx: Transaction, state: 'held' | 'failed', limit: number): Promise<number> {
  // The oldest mails have the lowest ids, so only the first ids are read.
  const oldestMails = tx
    .selectFrom('mail_messages')
    .select(['id', 'created_at'])
    .where('state', '=', state)
    .orderBy('id')
    .limit(limit);
  const oldMails = tx
    .selectFrom(oldestMails.as('oldest'))
    .select('oldest.id')
    .where('oldest.created_at', '<=', getRetentionCutoff(tx));
  return (await tx.deleteFrom('mail_messages').where('id', 'in', oldMails).returning('id').execute()).length;
}

/** Deletes occurrences without mails. index: mail_occurrences_by_created_at, mail_messages_by_occurrence */
async function deleteOrphanedOccurrences(tx: Transaction, limit: number): Promise<number> {
  const withoutMails = tx
    .selectFrom('mail_occurrences')
    .select('id')
    .where('created_at', '<=', getRetentionCutoff(tx))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('mail_messages').select('mail_messages.id').whereRef('occurrence_id', '=', 'mail_occurrences.id'),
        ),
      ),
    )
    .limit(limit);
  return (await tx.deleteFrom('mail_occurrences').where('id', 'in', withoutMails).returning('id').execute()).length;
}
