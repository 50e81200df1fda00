import { sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { LONG_RUNNING } from '#database/engines/long-statements.ts';
import { loadSnippetSizesByGroup } from '#domain/snippets.ts';
import type { Git } from '#git/git.ts';
import { loadRepositorySizes } from '#repositories/maintenance/summary.ts';
import { loadWikiSizesByGroup } from '#repositories/wikis/maintenance.ts';
import { toSizes } from '../projects/index.ts';

export type GroupStatistics = ReturnType<typeof toSizes>;

/** Returns the sizes of the projects directly in these groups. */
export async function loadGroupStatistics(
  db: Reader,
  git: Git,
  groupIds: readonly number[],
): Promise<ReadonlyMap<number, GroupStatistics>> {
  if (groupIds.length === 0) return new Map();
  const [repositorySizes, lfsSizes, wikiSizes, snippetSizes] = await Promise.all([
    loadRepositorySizes(db, git, groupIds),
    loadLfsSizes(db, groupIds),
    loadWikiSizesByGroup(db, git, groupIds),
    loadSnippetSizesByGroup(db, groupIds),
  ]);
  const getSizes = (id: number) =>
    toSizes({
      repository: repositorySizes.get(id) ?? 0,
      lfs: lfsSizes.get(id) ?? 0,
      wiki: wikiSizes.get(id) ?? 0,
      snippets: snippetSizes.get(id) ?? 0,
    });
  return new Map(groupIds.map((id) => [id, getSizes(id)]));
}

/** index: projects_by_namespace, lfs_object_projects_pkey */
async function loadLfsSizes(db: Reader, groupIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const rows = await db
    .selectFrom('projects')
    .innerJoin('lfs_object_projects', 'lfs_object_projects.project_id', 'projects.id')
    .innerJoin('lfs_objects', 'lfs_objects.id', 'lfs_object_projects.lfs_object_id')
    .select(['projects.namespace_id', sql<number>`cast(sum(lfs_objects.size) as bigint)`.as('lfs')])
    .where('projects.namespace_id', 'in', groupIds)
    .groupBy('projects.namespace_id')
    .modifyEnd(LONG_RUNNING)
    .execute();
  return new Map(rows.map((row) => [row.namespace_id, row.lfs]));
}
