import type { UnitOfWork } from '#events/unit-of-work.ts';
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
