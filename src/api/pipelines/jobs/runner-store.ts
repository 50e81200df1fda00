import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import type { Reader, Transaction } from '#database/database.ts';
import type { JobStatus } from '#database/schema.ts';

/** Records that the runner still works on the job. */
export async function recordHeartbeat(tx: Transaction, jobId: number): Promise<void> {
  await tx
    .updateTable('jobs')
    .set({ last_seen_at: tx.now })
    .where('id', '=', jobId)
    .where('status', 'in', RUNNING_JOB_STATUSES)
    .execute();
}

/** Returns the status of a job and when it was erased, or null if it was deleted. index: jobs primary key */
export async function findJobState(
  db: Reader,
  jobId: number,
): Promise<{ readonly status: JobStatus; readonly erased_at: string | null } | null> {
  const row = await db.selectFrom('jobs').select(['status', 'erased_at']).where('id', '=', jobId).executeTakeFirst();
  return row ?? null;
}
