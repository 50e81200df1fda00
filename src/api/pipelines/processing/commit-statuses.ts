import type { CommitStatusName } from '#database/schema.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { type PipelineKey, processPipeline } from './state-machine.ts';
import {
  findLatestCommitStatus,
  hasJobWithName,
  insertCommitStatus,
  UNFINISHED_COMMIT_STATUSES,
  updateCommitStatus,
} from './store.ts';

// Commit statuses from external systems count like jobs for the status of the pipeline (contract/runners.md §4.8). A
// status change and all its consequences run in one unit of work, under the lock of the project's jobs.

interface CommitStatusInput {
  readonly name: string;
  readonly state: CommitStatusName;
  readonly userId: number;
  /** Optional columns to set. */
  readonly details: {
    readonly target_url?: string;
    readonly description?: string;
    readonly coverage?: number;
  };
}

/** For each state: the event name, and the states that it may follow. A new status may have any state. */
const TRANSITIONS: Readonly<
  Record<CommitStatusName, { readonly event: string; readonly from: readonly CommitStatusName[] }>
> = {
  pending: { event: 'enqueue', from: [] },
  running: { event: 'run', from: ['pending'] },
  success: { event: 'success', from: UNFINISHED_COMMIT_STATUSES },
  failed: { event: 'drop', from: UNFINISHED_COMMIT_STATUSES },
  canceled: { event: 'cancel', from: UNFINISHED_COMMIT_STATUSES },
  skipped: { event: 'skip', from: ['pending'] },
};

/**
 * Updates the user's unfinished status with this name, or inserts a new one and marks the older one as retried. Returns
 * its id. `nameTaken`: a job of the pipeline has this name. `invalidTransition`: the transition is not allowed.
 */
export async function setCommitStatus(
  uow: UnitOfWork,
  pipeline: PipelineKey,
  input: CommitStatusInput,
): Promise<number | Failure<'nameTaken' | 'invalidTransition'>> {
  const { name, state, userId, details } = input;
  if (await hasJobWithName(uow, pipeline.id, name)) return fail('nameTaken');
  const latest = await findLatestCommitStatus(uow, pipeline.id, name);
  const isOwn = latest !== null && latest.user_id === userId && UNFINISHED_COMMIT_STATUSES.includes(latest.status);
  const { event, from } = TRANSITIONS[state];
  if (isOwn && !from.includes(latest.status)) return fail('invalidTransition', { event, from: latest.status });
  const columns = { ...details, ...toTransitionColumns(uow, state), status: state };
  if (isOwn) await updateCommitStatus(uow, latest.id, columns);
  else if (latest !== null) await updateCommitStatus(uow, latest.id, { retried: true });
  const row = { ...columns, ...toPipelineColumns(pipeline), name, user_id: userId };
  const id = isOwn ? latest.id : await insertCommitStatus(uow, row);
  await processPipeline(uow, pipeline);
  return id;
}

const toPipelineColumns = ({ id, project_id }: PipelineKey) => ({ pipeline_id: id, project_id });

/** Returns the timestamp and the failure reason that a transition sets. */
function toTransitionColumns({ now }: UnitOfWork, state: CommitStatusName) {
  if (state === 'running') return { started_at: now };
  if (state === 'failed') return { finished_at: now, failure_reason: 'api_failure' };
  return state === 'success' || state === 'canceled' ? { finished_at: now } : {};
}
