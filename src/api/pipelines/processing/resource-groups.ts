import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import type { JobStatus, ProcessMode } from '#database/tables/pipelines.ts';

/** One job of a resource group runs at a time; the others wait (contract/runners.md §5.6). */

/** Those that have the resource. */
const HOLDING_STATUSES: readonly JobStatus[] = ['pending', 'running', 'canceling', 'preparing'];

/** Those that may still come before others that wait already, where the mode asks for an order of pipelines. */
const UPCOMING_STATUSES: readonly JobStatus[] = ['created', 'scheduled', 'waiting_for_resource'];

interface WaitingJob {
  readonly id: number;
  readonly pipeline_id: number;
  readonly project_id: number;
  readonly environment: string | null;
}

/** The job of this group whose turn it is; null while another has it, or none is ready. */
export async function findNextInResourceGroup(db: Reader, groupId: number): Promise<WaitingJob | null> {
  // index: jobs_by_resource_group
  const held = await db
    .selectFrom('jobs')
    .select('id')
    .where('resource_group_id', '=', groupId)
    .where('status', 'in', HOLDING_STATUSES)
    .limit(1)
    .executeTakeFirst();
  if (held) return null;
  // index: resource_groups primary key
  const group = await db
    .selectFrom('resource_groups')
    .select('process_mode')
    .where('id', '=', groupId)
    .executeTakeFirst();
  if (!group) return null;
  const first = await findFirstWaiting(db, groupId, group.process_mode);
  return first?.status === 'waiting_for_resource' ? first : null;
}

// index: jobs_by_resource_group
async function findFirstWaiting(db: Reader, groupId: number, mode: ProcessMode) {
  const inOrder = mode === 'oldest_first' || mode === 'newest_first';
  const direction = mode === 'newest_first' || mode === 'newest_ready_first' ? 'desc' : 'asc';
  return db
    .selectFrom('jobs')
    .select(['id', 'pipeline_id', 'project_id', 'status', 'environment'])
    .where('resource_group_id', '=', groupId)
    .where('status', 'in', inOrder ? UPCOMING_STATUSES : ['waiting_for_resource' as const])
    .where(sql<boolean>`not retried`)
    .orderBy('pipeline_id', direction)
    .orderBy('id', direction)
    .limit(1)
    .executeTakeFirst();
}

/** The groups of these jobs that somebody may have a turn in now. */
export function getResourceGroupIds(jobs: readonly { readonly resource_group_id: number | null }[]): number[] {
  return [...new Set(jobs.flatMap(({ resource_group_id: id }) => (id === null ? [] : [id])))].sort((a, b) => a - b);
}
