import type { Act } from '#events/unit-of-work.ts';
import { type Failure, refused } from '#runtime/failure.ts';
import { findMessage, type MailRow } from '../store.ts';
import { deliverSoon } from './deliver.ts';

/** Lets a mail that was given up wait again, for as many attempts as a new one. index: mail_messages primary key */
export async function retry(act: Act, id: number): Promise<MailRow | Failure<'unknown' | 'notFailed'>> {
  const found = await findMessage(act, id);
  if (found === null) return refused('unknown');
  const again = await act
    .updateTable('mail_messages')
    .set({ state: 'queued', attempts: 0, next_attempt_at: act.now, digest_id: null })
    .where('id', '=', id)
    .where('state', '=', 'failed')
    .returningAll()
    .executeTakeFirst();
  if (again === undefined) return refused('notFailed');
  await deliverSoon(act);
  return again;
}
