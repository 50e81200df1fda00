import type { Transaction } from '#database/database.ts';
import { enqueue } from '#jobs/job.ts';
import { rebaseJob } from './job.ts';
import { insertRebase, type NewRebase } from './store.ts';

/** Enqueues a rebase of this head. Returns false if a rebase is in progress. */
export async function scheduleRebase(tx: Transaction, rebase: NewRebase): Promise<boolean> {
  if (!(await insertRebase(tx, rebase))) return false;
  await enqueue(tx, rebaseJob, { mergeRequestId: rebase.id }, { key: `${rebase.id}` });
  return true;
}
