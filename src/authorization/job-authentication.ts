import { type SqlBool, sql } from 'kysely';
import { RUNNING } from '#authentication/tokens/job-tokens.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus } from '#database/tables/pipelines.ts';
import { digestToken, sameSecret } from '#security/tokens.ts';
import { justHeardSince } from './runners.ts';

/** A job of which its runner speaks, proven by its token (contract/runners.md §3). */
export interface ProvenJob {
  readonly id: number;
  readonly project_id: number;
  readonly pipeline_id: number;
  readonly name: string;
  readonly status: JobStatus;
  readonly runner_id: number | null;
  /** The machine that it runs on. */
  readonly runner_manager_id: number | null;
  readonly user_id: number | null;
  /** Bytes of its log. */
  readonly trace_size: number;
  /** What of them is held back, encrypted. */
  readonly trace_held: string | null;
  /** CRC-32 of them as they came; null: of none, or not known. */
  readonly trace_checksum: number | null;
  /** When somebody last read the log. */
  readonly trace_watched_at: string | null;
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
      'runner_manager_id',
      'user_id',
      'trace_size',
      'trace_held',
      'trace_checksum',
      'trace_watched_at',
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

/**
 * The machine that runs a job was heard of, and so was its runner: nothing but the moment (contract/runners.md §3). Not where
 * that was just now: all jobs of a machine write these two rows.
 */
export async function noteRunnerContact(
  tx: Transaction,
  { runner_id, runner_manager_id }: Pick<ProvenJob, 'runner_id' | 'runner_manager_id'>,
): Promise<void> {
  const heard = { contacted_at: tx.now };
  const isLongAgo = sql<SqlBool>`(contacted_at is null or contacted_at <= ${justHeardSince(tx.now)})`;
  if (runner_manager_id !== null)
    await tx.updateTable('runner_managers').set(heard).where('id', '=', runner_manager_id).where(isLongAgo).execute();
  if (runner_id !== null)
    await tx.updateTable('runners').set(heard).where('id', '=', runner_id).where(isLongAgo).execute();
}
