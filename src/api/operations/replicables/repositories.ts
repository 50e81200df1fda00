import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isInSiteScope } from '#domain/site-scope.ts';
import { getRefVersion } from '#repositories/repository.ts';
import { getSelectionLimit, isInSelection } from './blobs.ts';
import { isChecksumOf } from './checksums.ts';
import type { LoadReplicables } from './replicable.ts';

// Loads repositories with their stored checksums. A checksum belongs to one version of the refs.

export const loadProjectRepositories: LoadReplicables = async (db, scope, selection) => {
  // index: repositories primary key, projects primary key, routes_by_project, geo_checksums_pkey
  const rows = await db
    .selectFrom('repositories')
    .innerJoin('projects', 'projects.id', 'repositories.project_id')
    .innerJoin('routes', 'routes.project_id', 'repositories.project_id')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('project_repository')))
    .select([
      'repositories.project_id',
      'repositories.storage',
      'repositories.ref_state_version',
      'repositories.default_branch',
      'routes.full_path',
      'projects.updated_at',
      'geo_checksums.version',
      'geo_checksums.checksum',
    ])
    .where(isInSelection(db, sql.ref<number>('repositories.project_id'), selection))
    .where(isInSiteScope(db, scope))
    .orderBy('repositories.project_id')
    .limit(getSelectionLimit(selection))
    .execute();
  return rows.map((row) => ({
    replicable_name: 'project_repository',
    replicable_id: row.project_id,
    ...toCurrentChecksum(getRefVersion(row), row),
    size: null,
    path: row.full_path,
    storage: row.storage,
    updated_at: row.updated_at,
  }));
};

/** Returns the path of a snippet's repository below this server's URL. */
const toSnippetRepositoryPath = (id: number): string => `snippets/${id}`;

/** Loads snippets. Personal ones belong to no namespace, so a scope of namespaces excludes them. */
export const loadSnippetRepositories: LoadReplicables = async (db, scope, selection) => {
  // index: snippets primary key, projects primary key, geo_checksums_pkey
  const rows = await db
    .selectFrom('snippets')
    .leftJoin('projects', 'projects.id', 'snippets.project_id')
    .leftJoin('geo_checksums', (join) => join.on(isChecksumOf('snippet_repository')))
    .select([
      'snippets.id',
      'snippets.storage',
      'snippets.ref_state_version',
      'snippets.default_branch',
      'snippets.updated_at',
      'geo_checksums.version',
      'geo_checksums.checksum',
    ])
    .where(isInSelection(db, sql.ref<number>('snippets.id'), selection))
    // `made`: the repository was created.
    .where('snippets.repository_created', '=', true)
    .where(isInSiteScope(db, scope, { namespace: NAMESPACE_COLUMNS.project, storage: 'snippets.storage' }))
    .orderBy('snippets.id')
    .limit(getSelectionLimit(selection))
    .execute();
  return rows.map((row) => ({
    replicable_name: 'snippet_repository',
    replicable_id: row.id,
    ...toCurrentChecksum(getRefVersion(row), row),
    size: null,
    path: toSnippetRepositoryPath(row.id),
    storage: row.storage,
    updated_at: row.updated_at,
  }));
};

/** Creates a function that loads the non-empty, fetchable wiki repositories of projects or groups. */
const createWikiLoader =
  (owner: 'project' | 'group'): LoadReplicables =>
  async (db, scope, selection) => {
    const replicable_name = `${owner}_wiki_repository` as const;
    // index: wikis primary key, projects primary key, routes_by_project, routes_by_namespace, routes_by_full_path, geo_checksums_pkey
    const rows = await db
      .selectFrom('wikis')
      .leftJoin('projects', 'projects.id', 'wikis.project_id')
      .innerJoin('routes', (join) => join.on(isRouteOf(owner)))
      .leftJoin('geo_checksums', (join) => join.on(isChecksumOf(replicable_name)))
      .select([
        'wikis.wiki_id',
        'wikis.storage',
        'wikis.ref_state_version',
        'wikis.default_branch',
        'wikis.updated_at',
        'routes.full_path',
        'geo_checksums.version',
        'geo_checksums.checksum',
      ])
      .where(isInSelection(db, sql.ref<number>('wikis.wiki_id'), selection))
      .where(`wikis.${owner}_id`, 'is not', null)
      .where('wikis.empty', '=', false)
      .where(IS_FETCHABLE)
      .where(isInSiteScope(db, scope, { namespace: NAMESPACE_COLUMNS[owner], storage: 'wikis.storage' }))
      .orderBy('wikis.wiki_id')
      .limit(getSelectionLimit(selection))
      .execute();
    return rows.map((row) => ({
      replicable_name,
      replicable_id: row.wiki_id,
      ...toCurrentChecksum(getRefVersion(row), row),
      size: null,
      path: `${row.full_path}.wiki`,
      storage: row.storage,
      updated_at: row.updated_at,
    }));
  };

/** Columns with the namespace that decides the scope, by owner of the repository. */
const NAMESPACE_COLUMNS = { project: 'projects.namespace_id', group: 'wikis.group_id' };

export const loadProjectWikis = createWikiLoader('project');
export const loadGroupWikis = createWikiLoader('group');

interface StoredChecksum {
  readonly version: string | null;
  readonly checksum: string | null;
}

/** Returns the stored checksum and its state; null and `pending` if it belongs to another version of the refs. */
function toCurrentChecksum(currentVersion: string, { version, checksum }: StoredChecksum) {
  if (version !== currentVersion) return { checksum: null, checksum_state: 'pending' } as const;
  return { checksum, checksum_state: checksum === null ? 'failed' : 'succeeded' } as const;
}

// Paths of wiki repositories: the path of the project or group with `.wiki`.

/** Returns the join condition of `routes` and `wikis`. index: routes_by_project, routes_by_namespace */
export function isRouteOf(owner: 'project' | 'group'): RawBuilder<SqlBool> {
  return owner === 'project'
    ? sql<SqlBool>`routes.project_id = wikis.project_id`
    : sql<SqlBool>`routes.namespace_id = wikis.group_id`;
}

/**
 * Condition on `routes`: no project has the path of the wiki repository. Such a project would take precedence, and the
 * wiki could not be fetched. index: routes_by_full_path
 */
export const IS_FETCHABLE = sql<SqlBool>`not exists (select 1 from routes as project_routes
  where project_routes.full_path_key = routes.full_path_key || '.wiki' and project_routes.project_id is not null)`;
