import { type Caller, isAdministrator } from '#authentication/caller.ts';
import type { Reader } from '#database/database.ts';
import { foldCase } from '#database/name-keys.ts';
import { type Params, prepare, prepareForIds } from '#database/prepare.ts';
import type { FeatureLevel, Visibility } from '#database/tables/domain.ts';
import { isLive } from '../members/membership-expiry.ts';
import { OWNER } from '../members/roles.ts';
import { type Asker, askerOf, roleFromAbove } from '../members/viewer-role.ts';
import { archivedAt } from './archive-state.ts';
import { namedBy } from './routes.ts';

/** One project as access decides about it: its row, its place, its repository, and the caller's roles there. */
export interface Project {
  readonly id: number;
  readonly namespace_id: number;
  readonly creator_id: number | null;
  readonly path: string;
  readonly name: string;
  readonly description: string | null;
  readonly visibility: Visibility;
  /** Itself, or by a group above. */
  readonly archived: boolean;
  readonly repository_access_level: FeatureLevel;
  readonly issues_access_level: FeatureLevel;
  readonly merge_requests_access_level: FeatureLevel;
  readonly builds_access_level: FeatureLevel;
  readonly environments_access_level: FeatureLevel;
  readonly wiki_access_level: FeatureLevel;
  readonly snippets_access_level: FeatureLevel;
  readonly lfs_enabled: boolean;
  readonly topics: string;
  readonly attributes: string;
  readonly star_count: number;
  readonly marked_for_deletion_on: string | null;
  readonly name_before_deletion: string | null;
  readonly path_before_deletion: string | null;
  readonly last_activity_at: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly full_path: string;
  readonly full_name: string;
  readonly namespace_kind: 'user' | 'group';
  readonly storage: string;
  readonly disk_path: string;
  readonly read_only: boolean;
  readonly ref_state_version: number;
  readonly default_branch: string;
  readonly empty: boolean;
  /** The version of refs that `readme` was read at; both null before the first time. */
  readonly summary_version: string | null;
  readonly readme: string | null;
  /** The caller's membership in the project itself; 0 without one. */
  readonly direct_role: number;
  /** The caller's highest membership in the groups above; 0 without one. */
  readonly inherited_role: number;
}

function selectProject(db: Reader, value: Params<Asker>) {
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
      'projects.topics',
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
            .where(isLive('expires_at', value('today'))),
          eb.lit(0),
        )
        .as('direct_role'),
      archivedAt('projects.namespace_id').as('archived_above'),
      roleFromAbove('projects.namespace_id', value).as('inherited_role'),
    ]);
}

/** What a query has read, as access sees it. */
function asProject(row: ProjectRow, caller: Caller): Project {
  const project = row.archived_above === 1 ? { ...row, archived: true } : row;
  return caller.job === undefined ? project : { ...project, ...rolesOfJob(caller, project) };
}

/**
 * A job has its user's role in its own project and none in any other (contract/conventions.md §7 "Job tokens"). An
 * administrator's acts as Owner there, as he would himself.
 */
function rolesOfJob({ job, user }: Caller, project: Project): Pick<Project, 'direct_role' | 'inherited_role'> {
  if (job?.projectId !== project.id) return { direct_role: 0, inherited_role: 0 };
  const { direct_role, inherited_role } = project;
  return { direct_role: user?.admin ? OWNER : direct_role, inherited_role };
}

type ProjectRow = Project & { readonly archived_above: 0 | 1 };

// index: projects primary key
const projectById = prepare((db, value: Params<Asker & { id: number }>) =>
  selectProject(db, value as Params<Asker>).where('projects.id', '=', value('id')),
);

// index: projects primary key
const projectsByIds = prepareForIds<ProjectRow, Asker>((db, ids, value) =>
  selectProject(db, value).where('projects.id', 'in', ids),
);

// index: routes_by_full_path
const projectByPath = prepare((db, value: Params<Asker & { key: string }>) =>
  selectProject(db, value as Params<Asker>).where('routes.full_path_key', '=', value('key')),
);

// index: redirects primary key
const redirectByPath = prepare((db, value: Params<{ key: string }>) =>
  db.selectFrom('redirects').select('project_id').where('full_path_key', '=', value('key')),
);

/**
 * The project that an `:id` names (contract/conventions.md §2): digits are an id, text with a slash is a full path in
 * any case, a bare word is nothing. Null when it is missing; whether the caller may see it is not asked here.
 */
export async function findProject(db: Reader, caller: Caller, id: string): Promise<Project | null> {
  const asker = askerOf(db, caller);
  const named = namedBy(id);
  if (named === null) return null;
  if (!('id' in named) && !id.includes('/')) return null;
  const row =
    'id' in named
      ? await projectById.first(db, { ...asker, ...named })
      : await projectByPath.first(db, { ...asker, ...named });
  return row ? asProject(row, caller) : null;
}

/** Several projects in the order of their ids, in one query; missing ones are left out. */
export async function findProjects(db: Reader, caller: Caller, ids: readonly number[]): Promise<Project[]> {
  const rows = await projectsByIds(db, ids, askerOf(db, caller));
  const byId = new Map(rows.map((row) => [row.id, asProject(row, caller)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The project that used to have this full path. */
export async function findMovedProject(db: Reader, caller: Caller, path: string): Promise<Project | null> {
  const redirect = await redirectByPath.first(db, { key: foldCase(path) });
  return redirect ? findProject(db, caller, String(redirect.project_id)) : null;
}

/** The caller's role in the project: the highest of direct and inherited; an administrator acts as Owner. */
export function roleIn(caller: Caller, project: Pick<Project, 'direct_role' | 'inherited_role'>): number {
  return isAdministrator(caller) ? OWNER : memberRole(project);
}

/** The same without the administrator's rights: what memberships alone give. */
export function memberRole(project: Pick<Project, 'direct_role' | 'inherited_role'>): number {
  return Math.max(project.direct_role, project.inherited_role);
}

/** May the caller know that the project exists (contract/planning.md §0 "Seeing things")? */
export function canSeeProject(
  caller: Caller,
  project: Pick<Project, 'visibility' | 'direct_role' | 'inherited_role'>,
): boolean {
  if (project.visibility === 'public') return true;
  if (caller.user === null) return false;
  return project.visibility === 'internal' || roleIn(caller, project) > 0;
}
