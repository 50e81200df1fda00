import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Reader } from '#database/database.ts';
import { isAmongTexts } from '#database/dialect.ts';
import { foldCase } from '#database/name-keys.ts';
import { SNIPPET_BRANCH } from './snippets.ts';

/** What a replication site holds of this server (contract/operations.md §3, "Selective sync"). */
export interface SiteScope {
  readonly id: number;
  /** Only what is in some groups or on some storages; null: everything. */
  readonly selective_sync_type: 'namespaces' | 'shards' | null;
  /** JSON array of names. */
  readonly selective_sync_shards: string;
}

export function shardsOf({ selective_sync_shards }: Pick<SiteScope, 'selective_sync_shards'>): string[] {
  return JSON.parse(selective_sync_shards) as string[];
}

/** How a query calls the columns that decide. */
interface Deciding {
  /** Of a project, or whatever else lies in a namespace; null: it lies in none. */
  readonly namespace: string | null;
  readonly storage: string;
}

const OF_PROJECTS: Deciding = { namespace: 'projects.namespace_id', storage: 'repositories.storage' };

/** Is it a part of what the site holds? index: namespace_closure_pkey, geo_site_namespaces_pkey */
export function isHeldBy(
  db: Reader,
  scope: SiteScope,
  { namespace, storage }: Deciding = OF_PROJECTS,
): RawBuilder<SqlBool> {
  switch (scope.selective_sync_type) {
    case null:
      return sql<SqlBool>`1 = 1`;
    case 'shards':
      // Lists are in the order of ids: an index by storage would have to be sorted for each page.
      return isAmongTexts(db, sql<string>`coalesce(${sql.ref(storage)}, '')`, shardsOf(scope));
    case 'namespaces':
      if (namespace === null) return sql<SqlBool>`1 = 0`;
      return sql<SqlBool>`exists (select 1 from namespace_closure
        inner join geo_site_namespaces on geo_site_namespaces.namespace_id = namespace_closure.ancestor_id
        where namespace_closure.descendant_id = ${sql.ref(namespace)} and geo_site_namespaces.site_id = ${scope.id})`;
  }
}

export const scopeColumns = [
  'geo_sites.id',
  'geo_sites.selective_sync_type',
  'geo_sites.selective_sync_shards',
] as const;

/** The repository of a project, wiki or snippet at this path, where the site holds it. */
export async function findHeldRepository(db: Reader, siteId: number, path: string) {
  // index: geo_sites primary key
  const scope = await db.selectFrom('geo_sites').select(scopeColumns).where('id', '=', siteId).executeTakeFirst();
  if (scope === undefined) return null;
  const snippet = /^snippets\/(\d{1,15})$/.exec(path)?.[1];
  if (snippet !== undefined) return findHeldSnippet(db, scope, Number(snippet));
  // index: routes_by_full_path, projects primary key, repositories primary key
  const found = await db
    .selectFrom('routes')
    .innerJoin('projects', 'projects.id', 'routes.project_id')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .select(['repositories.storage', 'repositories.disk_path', 'repositories.default_branch'])
    .where('routes.full_path_key', '=', foldCase(path))
    .where(isHeldBy(db, scope))
    .executeTakeFirst();
  // A project that is called as a wiki is meant itself, as it is for everybody else.
  const wiki = found === undefined ? /^(.+)\.wiki$/i.exec(path)?.[1] : undefined;
  return wiki === undefined ? (found ?? null) : findHeldWiki(db, scope, wiki);
}

/** Of a project or a group. */
async function findHeldWiki(db: Reader, scope: SiteScope, path: string) {
  // index: routes_by_full_path
  const route = await db
    .selectFrom('routes')
    .select(['project_id', 'namespace_id'])
    .where('full_path_key', '=', foldCase(path))
    .executeTakeFirst();
  if (route === undefined) return null;
  const isOfProject = route.project_id !== null;
  const namespace = isOfProject ? 'projects.namespace_id' : 'wikis.group_id';
  // index: wikis_by_project, wikis_by_group, projects primary key
  const found = await db
    .selectFrom('wikis')
    .leftJoin('projects', 'projects.id', 'wikis.project_id')
    .select(['wikis.storage', 'wikis.disk_path', 'wikis.default_branch'])
    .where(isOfProject ? 'wikis.project_id' : 'wikis.group_id', '=', route.project_id ?? route.namespace_id)
    .where('wikis.empty', '=', false)
    .where(isHeldBy(db, scope, { namespace, storage: 'wikis.storage' }))
    .executeTakeFirst();
  return found ?? null;
}

async function findHeldSnippet(db: Reader, scope: SiteScope, id: number) {
  // index: snippets primary key
  const found = await db
    .selectFrom('snippets')
    .select(['storage', 'disk_path'])
    .where('id', '=', id)
    .where('made', '=', true)
    .where(isHeldBy(db, scope, { namespace: null, storage: 'snippets.storage' }))
    .executeTakeFirst();
  return found === undefined ? null : { ...found, default_branch: SNIPPET_BRANCH };
}
