import { type Insertable, type SqlBool, sql, type Updateable } from 'kysely';
import type { Reader, Schema, Transaction } from '#database/database.ts';
import { allocateId } from '#database/dialect.ts';
import { hasRow } from '#database/page.ts';
import type { CommitStatusName } from '#database/schema.ts';
import type { CountedJob } from './composite-status.ts';

/** Reads and writes the commit statuses of external systems. */

/** The statuses of unfinished commit statuses. */
export const UNFINISHED_COMMIT_STATUSES: readonly CommitStatusName[] = ['pending', 'running'];

const isLatest = sql<SqlBool>`not retried`;

/** Returns the distinct statuses of a pipeline's external commit statuses. index: commit_statuses_latest_by_status */
export async function listExternalStatuses(db: Reader, pipelineId: number): Promise<CountedJob[]> {
  const rows = await db
    .selectFrom('commit_statuses')
    .select('status')
    .distinct()
    .where('pipeline_id', '=', pipelineId)
    .where(isLatest)
    .execute();
  return rows.map(({ status }) => ({ status, allow_failure: false }));
}

/** Returns the latest commit status with this name, or null. index: commit_statuses_latest_by_name */
export async function findLatestCommitStatus(db: Reader, pipelineId: number, name: string) {
  const row = await db
    .selectFrom('commit_statuses')
    .select(['id', 'status', 'user_id'])
    .where('pipeline_id', '=', pipelineId)
    .where('name', '=', name)
    .where(isLatest)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns whether the pipeline has a job with this name. index: jobs_latest_by_name */
export function hasJobWithName(db: Reader, pipelineId: number, name: string): Promise<boolean> {
  const jobs = db.selectFrom('jobs').select('id').where('pipeline_id', '=', pipelineId).where('name', '=', name);
  return hasRow(jobs.where(isLatest));
}

type NewRow = Omit<Insertable<Schema['commit_statuses']>, 'id' | 'retried' | 'created_at' | 'updated_at'>;

/** Inserts a commit status and returns its id. Commit statuses and jobs share one id sequence. */
export async function insertCommitStatus(tx: Transaction, row: NewRow): Promise<number> {
  const id = await allocateId(tx, 'jobs');
  const values = { ...row, id, retried: false, created_at: tx.now, updated_at: tx.now };
  await tx.insertInto('commit_statuses').values(values).execute();
  return id;
}

/** Updates columns of a commit status. index: commit_statuses primary key */
export async function updateCommitStatus(
  tx: Transaction,
  id: number,
  changes: Omit<Updateable<Schema['commit_statuses']>, 'id' | 'updated_at'>,
): Promise<void> {
  await tx
    .updateTable('commit_statuses')
    .set({ ...changes, updated_at: tx.now })
    .where('id', '=', id)
    .execute();
}

/** Cancels the unfinished commit statuses of a canceled pipeline. index: commit_statuses_latest_by_status */
export async function cancelCommitStatuses(tx: Transaction, pipelineId: number): Promise<void> {
  await tx
    .updateTable('commit_statuses')
    .set({ status: 'canceled', finished_at: tx.now, updated_at: tx.now })
    .where('pipeline_id', '=', pipelineId)
    .where('status', 'in', UNFINISHED_COMMIT_STATUSES)
    .where(isLatest)
    .execute();
}
