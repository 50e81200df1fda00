import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Where wikis are fetched from: the address of what they are of, with `.wiki`. */

/** To be joined with `wikis`. index: routes_by_project, routes_by_namespace */
export function isRouteOf(owner: 'project' | 'group'): RawBuilder<SqlBool> {
  return owner === 'project'
    ? sql<SqlBool>`routes.project_id = wikis.project_id`
    : sql<SqlBool>`routes.namespace_id = wikis.group_id`;
}

/**
 * Where a project is called as the wiki is, it is the project that its address leads to, and nobody can fetch the wiki. Of
 * `routes`. index: routes_by_full_path
 */
export const IS_FETCHED = sql<SqlBool>`not exists (select 1 from routes as called
  where called.full_path_key = routes.full_path_key || '.wiki' and called.project_id is not null)`;
