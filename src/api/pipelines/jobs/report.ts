import { noteRunnerContact } from '#authorization/job-authentication.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type ProvenJob, requireRunning } from '#http/access/job-access.ts';
import { changeJob } from '../processing/index.ts';
import { failureReason } from './failure-reasons.ts';
import { noteSignOfLife, readStanding } from './runner-store.ts';

export interface Reported {
  readonly state: 'running' | 'success' | 'failed';
  readonly failure_reason?: string | null | undefined;
  readonly exit_code?: number | null | undefined;
}

/**
 * What a runner says of its job: that it is at work still, or how the job has ended (contract/runners.md §3.5). One that is
 * being canceled ends canceled, whatever came of it. Returns its status from now on; of one that has ended already the runner hears just that.
 */
export async function report(uow: UnitOfWork, job: ProvenJob, reported: Reported): Promise<JobStatus> {
  await noteRunnerContact(uow, job);
  const { state, failure_reason, exit_code = null } = reported;
  if (state === 'running') await noteSignOfLife(uow, job.id);
  else {
    const why = state === 'failed' ? { failure_reason: failureReason(failure_reason) } : {};
    const ended =
      (await changeJob(uow, job.id, ['running'], state, { exit_code, ...why })) ??
      (await changeJob(uow, job.id, ['canceling'], 'canceled', { exit_code }));
    if (ended !== null) return ended.status;
  }
  const now = await readStanding(uow, job.id);
  requireRunning(now);
  return now.status;
}
