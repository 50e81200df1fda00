import type { CommitStatusName } from '#database/tables/pipelines.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import {
  findLatestCommitStatus,
  hasJobWithName,
  insertCommitStatus,
  UNFINISHED_STATUSES,
  updateCommitStatus,
} from './commit-status-store.ts';
import { type PipelineKey, processPipeline } from './state-machine.ts';

/**
 * What others than runners say of a commit counts for its pipeline as jobs do (contract/runners.md §4.8): the last step of
 * such a status, and all that follows from it, is one act in the turn of the project's jobs.
 */

export interface CommitStatusInput {
  readonly name: string;
  readonly state: CommitStatusName;
  readonly userId: number;
  /** What is told of it besides. */
  readonly details: {
    readonly target_url?: string;
    readonly description?: string;
    readonly coverage?: number;
  };
}

/** The words of steps, and from where each is possible; of a new status every one is. */
const TRANSITIONS: Readonly<
  Record<CommitStatusName, { readonly event: string; readonly from: readonly CommitStatusName[] }>
> = {
  pending: { event: 'enqueue', from: [] },
  running: { event: 'run', from: ['pending'] },
  success: { event: 'success', from: UNFINISHED_STATUSES },
  failed: { event: 'drop', from: UNFINISHED_STATUSES },
  canceled: { event: 'cancel', from: UNFINISHED_STATUSES },
  skipped: { event: 'skip', from: ['pending'] },
};

/**
 * Brings on what the user has begun under this name, or adds another one, for which older ones count as retried; its id.
 * `taken`: a job of the pipeline has this name. `impossible`: there is no such step.
 */
export async function setCommitStatus(
  uow: UnitOfWork,
  pipeline: PipelineKey,
  input: CommitStatusInput,
): Promise<number | Failure<'taken' | 'impossible'>> {
  const { name, state, userId, details: about } = input;
  if (await hasJobWithName(uow, pipeline.id, name)) return fail('taken');
  const latest = await findLatestCommitStatus(uow, pipeline.id, name);
  const isOwn = latest !== null && latest.user_id === userId && UNFINISHED_STATUSES.includes(latest.status);
  const { event, from } = TRANSITIONS[state];
  if (isOwn && !from.includes(latest.status)) return fail('impossible', { event, from: latest.status });
  const change = { ...about, ...transitionColumns(uow, state), status: state };
  if (isOwn) await updateCommitStatus(uow, latest.id, change);
  else if (latest !== null) await updateCommitStatus(uow, latest.id, { retried: true });
  const row = { ...change, ...toPipelineColumns(pipeline), name, user_id: userId };
  const id = isOwn ? latest.id : await insertCommitStatus(uow, row);
  await processPipeline(uow, pipeline);
  return id;
}

const toPipelineColumns = ({ id, project_id }: PipelineKey) => ({ pipeline_id: id, project_id });

/** The moment of its life that a step brings, and why it has failed. */
function transitionColumns({ now }: UnitOfWork, state: CommitStatusName) {
  if (state === 'running') return { started_at: now };
  if (state === 'failed') return { finished_at: now, failure_reason: 'api_failure' };
  return state === 'success' || state === 'canceled' ? { finished_at: now } : {};
}
