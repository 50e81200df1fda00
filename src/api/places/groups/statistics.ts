import { sql } from 'kysely';
import type { Reader } from '../../../database/database.ts';

/** Bytes. */
export interface GroupStatistics {
  readonly storage_size: number;
  readonly lfs_objects_size: number;
}

/** What the projects of these groups take, of what is accounted for in rows. index: projects_by_namespace, lfs_object_projects_pkey */
export async function statisticsOf(
  db: Reader,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, GroupStatistics>> {
  if (groupIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('projects')
    .innerJoin('lfs_object_projects', 'lfs_object_projects.project_id', 'projects.id')
    .innerJoin('lfs_objects', 'lfs_objects.id', 'lfs_object_projects.lfs_object_id')
    .select(['projects.namespace_id', sql<number>`cast(sum(lfs_objects.size) as bigint)`.as('lfs')])
    .where('projects.namespace_id', 'in', groupIds)
    .groupBy('projects.namespace_id')
    .execute();
  const lfs = new Map(rows.map((row) => [row.namespace_id, row.lfs]));
  return new Map(groupIds.map((id) => [id, { storage_size: lfs.get(id) ?? 0, lfs_objects_size: lfs.get(id) ?? 0 }]));
}
