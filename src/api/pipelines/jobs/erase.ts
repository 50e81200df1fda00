import type { JobRow } from '#domain/jobs.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { hasFinished } from '../processing/index.ts';

/**
 * Permanently deletes the log and artifacts of a finished job (contract/runners.md §5.4). Fails if there is nothing to
 * erase.
 */
export async function eraseJobData(uow: UnitOfWork, job: JobRow): Promise<JobRow | Failure<'notErasable'>> {
  if (!hasFinished(job.status)) return fail('notErasable');
  const artifacts = await uow.deleteFrom('job_artifacts').where('job_id', '=', job.id).executeTakeFirst();
  const heldBytes = await uow
    .updateTable('jobs')
    .set({ trace_held: null })
    .where('id', '=', job.id)
    .where('trace_held', 'is not', null)
    .executeTakeFirst();
  const chunks = await uow.deleteFrom('job_trace_chunks').where('job_id', '=', job.id).executeTakeFirst();
  if (artifacts.numDeletedRows + chunks.numDeletedRows + heldBytes.numUpdatedRows === 0n) return fail('notErasable');
  const change = { erased_at: uow.now, artifacts_expire_at: null, trace_size: 0 };
  await uow.updateTable('jobs').set(change).where('id', '=', job.id).execute();
  return { ...job, ...change };
}
