import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** Paths of wiki repositories: the path of the project or group with `.wiki`. */

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
