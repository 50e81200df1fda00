import { type SqlBool, sql } from 'kysely';
import { RUNNING_JOB_STATUSES } from '#authentication/tokens/job-tokens.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type Params, prepare } from '#database/prepare.ts';
import type { JobStatus } from '#database/schema.ts';
import { hashToken, secretsEqual } from '#security/tokens.ts';
import { getRecentContactThreshold } from './runners.ts';

/** A job that its runner has authenticated with the job token (contract/runners.md §3). */
export interface AuthenticatedJob {
  readonly id: number;
  readonly project_id: number;
  readonly pipeline_id: number;
  readonly name: string;
  readonly status: JobStatus;
  readonly runner_id: number | null;
  readonly runner_manager_id: number | null;
  readonly user_id: number | null;
  /** Size of its log in bytes. */
  readonly trace_size: number;
  /** The end of the log that is not yet written to storage, encrypted. */
  readonly trace_held: string | null;
  /** CRC-32 of the log as received; null: empty or unknown. */
  readonly trace_checksum: number | null;
  /** When a user last read the log; null: never. */
  readonly trace_watched_at: string | null;
  readonly erased_at: string | null;
}

// index: jobs primary key
const findJobRow = prepare((db, value: Params<{ id: number }>) =>
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

/** Returns the job if this is its token, running or not; else null. */
export async function findJobByToken(db: Reader, id: number, token: string): Promise<AuthenticatedJob | null> {
  const row = await findJobRow.first(db, { id });
  if (row === undefined || row.token_digest === null) return null;
  const { token_digest, ...job } = row;
  return secretsEqual(token_digest, hashToken(token)) ? job : null;
}

/** Returns whether the job is running. */
export function isRunning({ status }: Pick<AuthenticatedJob, 'status'>): boolean {
  return RUNNING_JOB_STATUSES.includes(status);
}

/**
 * Records that the runner and its machine made contact (contract/runners.md §3). Skips recent contacts: all jobs of a
 * machine write the same two rows.
 */
export async function recordRunnerContact(
  tx: Transaction,
  { runner_id, runner_manager_id }: Pick<AuthenticatedJob, 'runner_id' | 'runner_manager_id'>,
): Promise<void> {
  const contactColumns = { contacted_at: tx.now };
  const isLongAgo = sql<SqlBool>`(contacted_at is null or contacted_at <= ${getRecentContactThreshold(tx.now)})`;
  if (runner_manager_id !== null)
    await tx
      .updateTable('runner_managers')
      .set(contactColumns)
      .where('id', '=', runner_manager_id)
      .where(isLongAgo)
      .execute();
  if (runner_id !== null)
    await tx.updateTable('runners').set(contactColumns).where('id', '=', runner_id).where(isLongAgo).execute();
}
