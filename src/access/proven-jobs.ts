import type { Reader, Transaction } from '../database/database.ts';
import { type Params, prepare } from '../database/prepare.ts';
import type { JobStatus } from '../database/tables/pipelines.ts';
import { RUNNING } from '../identity/job-tokens.ts';
import { digestToken, sameSecret } from '../secrets/tokens.ts';

/** A job of which its runner speaks, proven by its token (contract/runners.md §3). */
export interface ProvenJob {
  readonly id: number;
  readonly project_id: number;
  readonly pipeline_id: number;
  readonly name: string;
  readonly status: JobStatus;
  readonly runner_id: number | null;
  readonly user_id: number | null;
  /** Bytes of its log. */
  readonly trace_size: number;
  readonly erased_at: string | null;
}

// index: jobs primary key
const jobById = prepare((db, value: Params<{ id: number }>) =>
  db
    .selectFrom('jobs')
    .where('id', '=', value('id'))
    .select([
      'id',
      'project_id',
      'pipeline_id',
      'name',
      'status',
      'runner_id',
      'user_id',
      'trace_size',
      'erased_at',
      'token_digest',
    ]),
);

/** The job when this is its token, whether it runs still or not. */
export async function findProvenJob(db: Reader, id: number, token: string): Promise<ProvenJob | null> {
  const row = await jobById.first(db, { id });
  if (row === undefined || row.token_digest === null) return null;
  const { token_digest, ...job } = row;
  return sameSecret(token_digest, digestToken(token)) ? job : null;
}

/** Is a runner at work on it? */
export function isRunning({ status }: Pick<ProvenJob, 'status'>): boolean {
  return RUNNING.includes(status);
}

/** The runner of a job has been heard of. */
export async function noteRunnerContact(tx: Transaction, { runner_id }: Pick<ProvenJob, 'runner_id'>): Promise<void> {
  if (runner_id === null) return;
  await tx.updateTable('runners').set({ contacted_at: tx.now }).where('id', '=', runner_id).execute();
}
