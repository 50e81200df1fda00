import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Columns, Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import { isActiveMembership, OWNER, selectInheritedRole, toViewerParams, type ViewerParams } from '../members/roles.ts';
import { isArchivedExpression } from './archive-state.ts';
import { parseIdOrPath } from './routes.ts';

/** A project with everything that authorization needs: its row, path, repository, and the caller's roles. */
export interface Project extends Omit<Columns<'projects'>, 'name_key' | 'imported_from'> {
  /** Whether the project itself or a group above it is archived. */
  readonly archived: boolean;
  /** JSON of the attributes that have no column. */
  readonly attributes: string;
  readonly full_path: string;
  readonly full_name: string;
  readonly namespace_kind: 'user' | 'group';
  readonly storage: string;
  readonly disk_path: string;
  readonly read_only: boolean;
  readonly ref_state_version: number;
  readonly default_branch: string;
  readonly empty: boolean;
  /** Version of the refs for which `readme` was computed; both are null until then. */
  readonly summary_version: string | null;
  readonly readme: string | null;
  /** The caller's role in the project itself; 0 without a membership. */
  readonly direct_role: number;
  /** The caller's highest role in the groups above; 0 without a membership. */
  readonly inherited_role: number;
}

function buildProjectQuery(db: Reader, value: Params<ViewerParams>) {
  return db
    .selectFrom('projects')
    .innerJoin('repositories', 'repositories.project_id', 'projects.id')
    .innerJoin('routes', 'routes.project_id', 'projects.id')
    .innerJoin('namespaces', 'namespaces.id', 'projects.namespace_id')
    .select([
      'projects.id',
      'projects.namespace_id',
      'projects.creator_id',
      'projects.path',
      'projects.name',
      'projects.description',
      'projects.visibility',
      'projects.archived',
      'projects.repository_access_level',
      'projects.issues_access_level',
      'projects.merge_requests_access_level',
      'projects.builds_access_level',
      'projects.environments_access_level',
      'projects.wiki_access_level',
      'projects.snippets_access_level',
      'projects.lfs_enabled',
      'projects.attributes',
      'projects.star_count',
      'projects.marked_for_deletion_on',
      'projects.name_before_deletion',
      'projects.path_before_deletion',
      'projects.last_activity_at',
      'projects.created_at',
      'projects.updated_at',
      'routes.full_path',
      'routes.full_name',
      'namespaces.kind as namespace_kind',
      'repositories.storage',
      'repositories.disk_path',
      'repositories.read_only',
      'repositories.ref_state_version',
      'repositories.default_branch',
      'repositories.empty',
      'repositories.summary_version',
      'repositories.readme',
    ])
    .select((eb) => [
      // index: memberships_by_source
      eb.fn
        .coalesce(
          eb
            .selectFrom('memberships')
            .select('access_level')
            .where('source_type', '=', 'project')
            .whereRef('source_id', '=', 'projects.id')
            .where('user_id', '=', value('user'))
            .where(isActiveMembership('expires_at', value('today'))),
          eb.lit(0),
        )
        .as('direct_role'),
      isArchivedExpression('projects.namespace_id').as('archived_above'),
      selectInheritedRole('projects.namespace_id', value).as('inherited_role'),
    ]);
}

/** Completes a row: adds the inherited archived state, and limits the roles of a job token. */
function toProject(row: ProjectRow, caller: Caller): Project {
  const project = row.archived_above === 1 ? { ...row, archived: true } : row;
  return caller.job === undefined ? project : { ...project, ...getJobTokenRoles(caller, project) };
}

/**
 * Returns the roles of a job token: those of its user in its own project, none in other projects
 * (contract/conventions.md §7 "Job tokens"). The job of an administrator acts as Owner.
 */
function getJobTokenRoles({ job, user }: Caller, project: Project): Pick<Project, 'direct_role' | 'inherited_role'> {
  if (job?.projectId !== project.id) return { direct_role: 0, inherited_role: 0 };
  const { direct_role, inherited_role } = project;
  return { direct_role: user?.admin ? OWNER : direct_role, inherited_role };
}

type ProjectRow = Project & { readonly archived_above: 0 | 1 };

// index: projects primary key
const findProjectRow = prepare((db, value: Params<ViewerParams & { id: number }>) =>
  buildProjectQuery(db, value as Params<ViewerParams>).where('projects.id', '=', value('id')),
);

// index: projects primary key
const loadProjectsByIds = prepareForIds<ProjectRow, ViewerParams>((db, ids, value) =>
  buildProjectQuery(db, value).where('projects.id', 'in', ids),
);

// index: routes_by_full_path
const findProjectRowByPath = prepare((db, value: Params<ViewerParams & { key: string }>) =>
  buildProjectQuery(db, value as Params<ViewerParams>).where('routes.full_path_key', '=', value('key')),
);

// index: redirects primary key
const findRedirectByPath = prepare((db, value: Params<{ key: string }>) =>
  db.selectFrom('redirects').select('project_id').where('full_path_key', '=', value('key')),
);

/**
 * Returns the project with this `:id` (contract/conventions.md §2): digits are an id, a text with a slash is a full
 * path, ignoring case. Null if there is none or for a text without a slash. Does not check visibility.
 */
export async function findProject(db: Reader, caller: Caller, id: string): Promise<Project | null> {
  const viewer = toViewerParams(db, caller);
  const idOrPath = parseIdOrPath(id);
  if (idOrPath === null) return null;
  if (!('id' in idOrPath) && !id.includes('/')) return null;
  const row =
    'id' in idOrPath
      ? await findProjectRow.first(db, { ...viewer, ...idOrPath })
      : await findProjectRowByPath.first(db, { ...viewer, ...idOrPath });
  return row ? toProject(row, caller) : null;
}

/** Returns the existing projects in the order of `ids`, with one query. */
export async function findProjects(db: Reader, caller: Caller, ids: readonly number[]): Promise<Project[]> {
  const rows = await loadProjectsByIds(db, ids, toViewerParams(db, caller));
  const projectsById = new Map(rows.map((row) => [row.id, toProject(row, caller)]));
  return ids.flatMap((id) => projectsById.get(id) ?? []);
}

/** Returns the project that had this full path before a move or rename, or null. */
export async function findMovedProject(db: Reader, caller: Caller, path: string): Promise<Project | null> {
  const redirect = await findRedirectByPath.first(db, { key: foldCase(path) });
  return redirect ? findProject(db, caller, String(redirect.project_id)) : null;
}

/**
 * Returns the caller's effective role in the project: the higher of direct and inherited. Administrators act as Owner.
 */
export function getProjectRole(caller: Caller, project: Pick<Project, 'direct_role' | 'inherited_role'>): number {
  return isAdministrator(caller) ? OWNER : getMemberRole(project);
}

/** Returns the role from memberships alone, without administrator rights. */
export function getMemberRole(project: Pick<Project, 'direct_role' | 'inherited_role'>): number {
  return Math.max(project.direct_role, project.inherited_role);
}

/** Returns whether the caller may know that the project exists (contract/planning.md §0 "Seeing things"). */
export function canSeeProject(
  caller: Caller,
  project: Pick<Project, 'visibility' | 'direct_role' | 'inherited_role'>,
): boolean {
  if (project.visibility === 'public') return true;
  if (caller.user === null) return false;
  return project.visibility === 'internal' || getProjectRole(caller, project) > 0;
}
