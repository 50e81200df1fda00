import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { mayBeLong } from '#database/engines/long-statements.ts';
import type { Git } from '#git/git.ts';
import { repositorySizesIn } from '#repositories/maintenance/summary.ts';
import { wikiSizesIn } from '#repositories/wikis/maintenance.ts';
import { sizesOf } from '../projects/index.ts';

export type GroupStatistics = ReturnType<typeof sizesOf>;

/** What the projects directly in these groups take. */
export async function statisticsOf(
  db: Reader,
  git: Git,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, GroupStatistics>> {
  if (groupIds.length === 0) return new Map();
  const [repositories, lfs, wikis] = await Promise.all([
    repositorySizesIn(db, git, groupIds),
    lfsSizesIn(db, groupIds),
    wikiSizesIn(db, git, groupIds),
  ]);
  const sizes = (id: number) => sizesOf(repositories.get(id) ?? 0, lfs.get(id) ?? 0, wikis.get(id) ?? 0);
  return new Map(groupIds.map((id) => [id, sizes(id)]));
}

/** index: projects_by_namespace, lfs_object_projects_pkey */
async function lfsSizesIn(db: Reader, groupIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('lfs_object_projects', 'lfs_object_projects.project_id', 'projects.id')
    .innerJoin('lfs_objects', 'lfs_objects.id', 'lfs_object_projects.lfs_object_id')
    .select(['projects.namespace_id', sql<number>`cast(sum(lfs_objects.size) as bigint)`.as('lfs')])
    .where('projects.namespace_id', 'in', groupIds)
    .groupBy('projects.namespace_id')
    .modifyEnd(mayBeLong)
    .execute();
  return new Map(rows.map((row) => [row.namespace_id, row.lfs]));
}
