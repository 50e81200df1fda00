import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';

/** Selective sync of a replication site: the part of the data that it copies (contract/operations.md §3). */
export interface SiteScope {
  readonly id: number;
  /** Restricts the scope to some groups or storages; null: everything. */
  readonly selective_sync_type: 'namespaces' | 'shards' | null;
  /** JSON array of names. */
  readonly selective_sync_shards: string;
}

/** Returns the names of the storages to which selective sync is restricted. */
export function parseShards({ selective_sync_shards }: Pick<SiteScope, 'selective_sync_shards'>): string[] {
  return JSON.parse(selective_sync_shards) as string[];
}

/** Columns that decide whether a row is in scope, with their table or alias in the query. */
interface SiteScopeColumns {
  /** Column of the namespace id; a row without a namespace is in no scope that is restricted to namespaces. */
  readonly namespace: string;
  /** Column of the storage name. */
  readonly storage: string;
}

const PROJECT_COLUMNS: SiteScopeColumns = { namespace: 'projects.namespace_id', storage: 'repositories.storage' };

/** Condition: the row is in the scope of the site. index: namespace_closure_pkey, geo_site_namespaces_pkey */
export function isInSiteScope(
  db: Reader,
  scope: SiteScope,
  { namespace, storage }: SiteScopeColumns = PROJECT_COLUMNS,
): RawBuilder<SqlBool> {
  switch (scope.selective_sync_type) {
    case null:
      return sql<SqlBool>`1 = 1`;
    case 'shards':
      // Lists are sorted by id: with an index by storage, each page would have to be sorted. COALESCE prevents its use.
      return isInTexts(db, sql<string>`coalesce(${sql.ref(storage)}, '')`, parseShards(scope));
    case 'namespaces':
      return sql<SqlBool>`exists (select 1 from namespace_closure
        inner join geo_site_namespaces on geo_site_namespaces.namespace_id = namespace_closure.ancestor_id
        where namespace_closure.descendant_id = ${sql.ref(namespace)} and geo_site_namespaces.site_id = ${scope.id})`;
  }
}

export const siteScopeColumns = [
  'geo_sites.id',
  'geo_sites.selective_sync_type',
  'geo_sites.selective_sync_shards',
] as const;

/** Returns the repository of a project, wiki or snippet at this path; null if it is missing or outside the scope of the site. */
export async function findReplicatedRepository(db: Reader, siteId: number, path: string) {
  // index: geo_sites primary key
  const scope = await db.selectFrom('geo_sites').select(siteScopeColumns).where('id', '=', siteId).executeTakeFirst();
  if (scope === undefined) return null;
  const snippetId = /^snippets\/(\d{1,15})$/.exec(path)?.[1];
  if (snippetId !== undefined) return findReplicatedSnippet(db, scope, Number(snippetId));
  // index: routes_by_full_path, projects primary key, repositories primary key
  const repositoryRow = await db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select(['repositories.storage', 'repositories.disk_path', 'repositories.default_branch'])
    .where('routes.full_path_key', '=', foldCase(path))
    .where(isInSiteScope(db, scope))
    .executeTakeFirst();
  // A project whose path ends in `.wiki` takes precedence over the wiki with that path.
  const wikiParentPath = repositoryRow === undefined ? /^(.+)\.wiki$/i.exec(path)?.[1] : undefined;
  return wikiParentPath === undefined ? (repositoryRow ?? null) : findReplicatedWiki(db, scope, wikiParentPath);
}

/** Finds the repository of the wiki of a project or group; `parentPath` is the full path of the parent. */
async function findReplicatedWiki(db: Reader, scope: SiteScope, parentPath: string) {
  // index: routes_by_full_path
  const route = await db
    .selectFrom('routes')
    .select(['project_id', 'namespace_id'])
    .where('full_path_key', '=', foldCase(parentPath))
    .executeTakeFirst();
  if (route === undefined) return null;
  const isProjectWiki = route.project_id !== null;
  const namespace = isProjectWiki ? 'projects.namespace_id' : 'wikis.group_id';
  // index: wikis_by_project, wikis_by_group, projects primary key
  const repositoryRow = await db
    .selectFrom('wikis')
    .leftJoin('projects', 'projects.id', 'wikis.project_id')
    .select(['wikis.storage', 'wikis.disk_path', 'wikis.default_branch'])
    .where(isProjectWiki ? 'wikis.project_id' : 'wikis.group_id', '=', route.project_id ?? route.namespace_id)
    .where('wikis.empty', '=', false)
    .where(isInSiteScope(db, scope, { namespace, storage: 'wikis.storage' }))
    .executeTakeFirst();
  return repositoryRow ?? null;
}

async function findReplicatedSnippet(db: Reader, scope: SiteScope, id: number) {
  // index: snippets primary key, projects primary key
  const repositoryRow = await db
    .selectFrom('snippets')
    .leftJoin('projects', 'projects.id', 'snippets.project_id')
    .select(['snippets.storage', 'snippets.disk_path', 'snippets.default_branch'])
    .where('snippets.id', '=', id)
    .where('snippets.repository_created', '=', true)
    .where(isInSiteScope(db, scope, { namespace: 'projects.namespace_id', storage: 'snippets.storage' }))
    .executeTakeFirst();
  return repositoryRow ?? null;
}
