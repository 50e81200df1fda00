import { sql } from 'kysely';
import type { Migration } from './migration.ts';

/**
 * Indexes for filters and sort orders of project lists: security reports of jobs, checksums that could not be computed, and sizes.
 * Stores which jobs ran in debug mode, because only Developers may read their logs.
 */
export const migration: Migration = {
  name: '0120_project_lists_and_debug_logs',
  async up(db, dialect) {
    await sql`create index job_artifacts_security on job_artifacts (project_id)
      where file_type in ('sast', 'secret_detection', 'dependency_scanning', 'container_scanning',
        'cluster_image_scanning', 'dast', 'coverage_fuzzing', 'api_fuzzing')`.execute(db);
    await sql`create index geo_checksums_failed on geo_checksums (replicable_name, replicable_id)
      where checksum is null`.execute(db);
    await db.schema
      .alterTable('jobs')
      .addColumn('debug_mode', dialect.boolean, (column) => column.notNull().defaultTo(false))
      .execute();
    for (const column of ['wiki_size', 'lfs_size', 'snippets_size']) {
      await db.schema
        .alterTable('repositories')
        .addColumn(column, dialect.integer, (definition) => definition.notNull().defaultTo(0))
        .execute();
    }
    await sql`update repositories set
      wiki_size = coalesce((select wikis.size from wikis where wikis.project_id = repositories.project_id), 0),
      lfs_size = coalesce((select sum(lfs_objects.size) from lfs_object_projects
        join lfs_objects on lfs_objects.id = lfs_object_projects.lfs_object_id
        where lfs_object_projects.project_id = repositories.project_id), 0),
      snippets_size = coalesce((select sum(snippets.size) from snippets
        where snippets.project_id = repositories.project_id), 0)
      where exists (select 1 from wikis where wikis.project_id = repositories.project_id)
        or exists (select 1 from lfs_object_projects
          where lfs_object_projects.project_id = repositories.project_id)
        or exists (select 1 from snippets where snippets.project_id = repositories.project_id)`.execute(db);
    await sql`create index repositories_by_size on repositories (coalesce(size, 0), project_id)`.execute(db);
    await sql`create index repositories_by_wiki_size on repositories (wiki_size, project_id)`.execute(db);
    await sql`create index repositories_by_storage_size on repositories
      ((coalesce(size, 0) + wiki_size + lfs_size + snippets_size), project_id)`.execute(db);
  },
};
