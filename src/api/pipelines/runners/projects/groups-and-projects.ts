import { ProjectIdentity } from '#api/namespaces/projects/index.ts';
import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Runner } from '#authorization/runners.ts';
import { projectVisibleTo, projectWithRole } from '#authorization/visibility.ts';
import type { Reader } from '#database/database.ts';
import { type Page, paginate } from '#database/page.ts';
import { ANY_ROLE } from '#domain/members/roles.ts';
import { findGroup, getGroupRole } from '#domain/namespaces/groups.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import type { SerializationContext } from '#http/endpoint/entity.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';

/**
 * The projects and groups in the details of a runner: those that the caller is a member of (contract/runners.md §1.2).
 */

/** Maximum number of projects in the details of a runner; the project list of a runner contains all. */
const MAX_PROJECTS_IN_DETAIL = 1000;

/** Role of a caller who is not a member. */
const NO_ROLE = 0;

/**
 * Lists the projects of a runner that the caller is a member of; administrators see all.
 * index: runner_projects_by_runner
 */
export async function listProjectsForDetail(context: SerializationContext, { id }: Pick<Runner, 'id'>) {
  const { db, caller } = context;
  const { user } = caller;
  if (user === null) return [];
  const rows = await db
    .selectFrom('runner_projects')
    .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .select([
      'projects.id',
      'projects.description',
      'projects.name',
      'projects.path',
      'projects.created_at',
      'routes.full_name',
      'routes.full_path',
    ])
    .where('runner_projects.runner_id', '=', id)
    .$if(!isAdministrator(caller), (query) => query.where(projectWithRole(user.id, ANY_ROLE, db.today)))
    .orderBy('runner_projects.id')
    .limit(MAX_PROJECTS_IN_DETAIL)
    .execute();
  return rows.map((project) => ProjectIdentity.serialize(project, context));
}

/** Lists the group of a group runner if the caller is a member; otherwise an empty array. */
export async function listGroupsForDetail(
  { db, caller, url }: SerializationContext,
  { group_id }: Pick<Runner, 'group_id'>,
) {
  const group = group_id === null ? null : await findGroup(db, caller, String(group_id));
  if (group === null || getGroupRole(caller, group) === NO_ROLE) return [];
  return [{ id: group.id, web_url: `${url}/groups/${group.full_path}`, name: group.name }];
}

/** Returns one page of a runner's projects that the caller can see, ordered by id. index: runner_projects_by_runner */
export async function listProjectsOfRunner(
  db: Reader,
  caller: Caller,
  { id }: Pick<Runner, 'id'>,
  page: OffsetRequest,
): Promise<Page<Project>> {
  const ids = db
    .selectFrom('runner_projects')
    .innerJoin('projects', 'projects.id', 'runner_projects.project_id')
    .select('projects.id')
    .where('runner_projects.runner_id', '=', id)
    .where(projectVisibleTo(caller, db.today));
  const result = await paginate(db, ids.orderBy('runner_projects.project_id', 'asc'), page);
  return {
    ...result,
    items: await findProjects(
      db,
      caller,
      result.items.map((project) => project.id),
    ),
  };
}
