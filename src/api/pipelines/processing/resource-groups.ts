import { sql } from 'kysely';
import type { Columns, Reader } from '#database/database.ts';
import type { JobStatus, ProcessMode } from '#database/schema.ts';

/** One job of a resource group runs at a time; the others wait (contract/runners.md §5.6). */

/** Statuses of jobs that occupy the resource. */
const OCCUPYING_STATUSES: readonly JobStatus[] = ['pending', 'running', 'canceling', 'preparing'];

/** Statuses of jobs that may precede waiting jobs if the process mode orders jobs by pipeline. */
const UPCOMING_STATUSES: readonly JobStatus[] = ['created', 'scheduled', 'waiting_for_resource'];

type WaitingJob = Columns<'jobs', 'id' | 'pipeline_id' | 'project_id' | 'environment'>;

/** Returns the next job to start in this group; null while another job occupies it, or none is ready. */
export async function findNextInResourceGroup(db: Reader, groupId: number): Promise<WaitingJob | null> {
  // index: jobs_by_resource_group
  const activeJob = await db
    .selectFrom('jobs')
    .select('id')
    .where('resource_group_id', '=', groupId)
    .where('status', 'in', OCCUPYING_STATUSES)
    .limit(1)
    .executeTakeFirst();
  if (activeJob) return null;
  // index: resource_groups primary key
  const group = await db
    .selectFrom('resource_groups')
    .select('process_mode')
    .where('id', '=', groupId)
    .executeTakeFirst();
  if (!group) return null;
  const firstJob = await findFirstWaiting(db, groupId, group.process_mode);
  // In the modes that order jobs by pipeline, the first job may not be ready yet.
  return firstJob?.status === 'waiting_for_resource' ? firstJob : null;
}

// index: jobs_by_resource_group
async function findFirstWaiting(db: Reader, groupId: number, mode: ProcessMode) {
  const isOrdered = mode === 'oldest_first' || mode === 'newest_first';
  const direction = mode === 'newest_first' || mode === 'newest_ready_first' ? 'desc' : 'asc';
  return db
    .selectFrom('jobs')
    .select(['id', 'pipeline_id', 'project_id', 'status', 'environment'])
    .where('resource_group_id', '=', groupId)
    .where('status', 'in', isOrdered ? UPCOMING_STATUSES : ['waiting_for_resource' as const])
    .where(sql<boolean>`not retried`)
    .orderBy('pipeline_id', direction)
    .orderBy('id', direction)
    .limit(1)
    .executeTakeFirst();
}

/** Returns the ids of the resource groups of these jobs, sorted and without duplicates. */
export function getResourceGroupIds(jobs: readonly { readonly resource_group_id: number | null }[]): number[] {
  return [...new Set(jobs.flatMap(({ resource_group_id: id }) => (id === null ? [] : [id])))].sort((a, b) => a - b);
}
