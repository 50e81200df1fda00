import { type TProperties, Type } from 'typebox';
import { loadUsersById, UserBasic, type UserBasicRow } from '#api/identity/users/index.ts';
import { ProjectIdentity } from '#api/namespaces/projects/index.ts';
import { isAdministrator } from '#authentication/caller.ts';
import { mayUpdateRunner, type Runner as RunnerRow } from '#authorization/runners.ts';
import { projectWithRole } from '#authorization/visibility.ts';
import { ANY_ROLE } from '#domain/members/roles.ts';
import { findGroup, getGroupRole } from '#domain/namespaces/groups.ts';
import { entity, type SerializationContext } from '#http/endpoint/entity.ts';
import { dateTime, nullable, objectSchema } from '#http/endpoint/responses.ts';
import { findLatestManager, type RunnerManagerRow as ManagerRow } from './managers.ts';
import { getRunnerStatus, isOnline, RUNNER_STATUSES } from './status.ts';
import { listRunnerTags, loadActiveManagerIds, loadActiveRunnerIds } from './store.ts';
import { ACCESS_LEVELS } from './validation.ts';

// Response entities of runners and their managers (contract/runners.md §1.1, §1.2, §2.4).

const text = Type.String();
const flag = Type.Boolean();
const integer = Type.Integer();
const executionStatus = Type.Enum(['idle', 'active']);

const listFields = {
  id: integer,
  description: nullable(text),
  ip_address: Type.String({ description: 'Address of the latest contact; empty before the first one.' }),
  active: Type.Boolean({ description: 'Deprecated: the opposite of `paused`.' }),
  paused: flag,
  is_shared: Type.Boolean({ description: 'Whether it is an instance runner.' }),
  runner_type: Type.Enum(['instance_type', 'group_type', 'project_type']),
  name: nullable(text),
  online: nullable(Type.Boolean({ description: 'Whether the latest contact was within two hours; null without one.' })),
  status: Type.Enum([...RUNNER_STATUSES]),
  /** Absent for runners that registered with a registration token. */
  created_by: Type.Optional(UserBasic.schema),
  created_at: dateTime,
  job_execution_status: executionStatus,
} satisfies TProperties;

const LIST_COLUMNS = ['id', 'description', 'ip_address', 'paused', 'runner_type', 'name', 'created_at'] as const;

interface RunnerRelations {
  readonly creators: ReadonlyMap<number, UserBasicRow>;
  /** Ids of the runners that have a running or canceling job. */
  readonly busyIds: ReadonlySet<number | null>;
}

async function loadRunnerRelations(rows: readonly RunnerRow[], { db }: SerializationContext): Promise<RunnerRelations> {
  const [creators, busyIds] = await Promise.all([
    loadUsersById(
      db,
      rows.map(({ creator_id }) => creator_id),
    ),
    loadActiveRunnerIds(
      db,
      rows.map(({ id }) => id),
    ),
  ]);
  return { creators, busyIds };
}

/** A runner in lists and in jobs. */
export const Runner = entity('Runner', listFields)
  .columns(...LIST_COLUMNS)
  .from(loadRunnerRelations, serializeListFields);

function serializeListFields(row: RunnerRow, context: SerializationContext, { creators, busyIds }: RunnerRelations) {
  const creator = row.creator_id === null ? undefined : creators.get(row.creator_id);
  return {
    active: !row.paused,
    is_shared: row.runner_type === 'instance_type',
    online: isOnline(row, context.now),
    status: getRunnerStatus(row, context.now),
    ...(creator ? { created_by: UserBasic.serialize(creator, context) } : {}),
    job_execution_status: busyIds.has(row.id) ? ('active' as const) : ('idle' as const),
  };
}

const RunnerGroup = objectSchema('RunnerGroup', { id: integer, web_url: text, name: text });

/** A runner in detail. */
export const RunnerDetail = entity('RunnerDetail', {
  ...listFields,
  tag_list: Type.Array(text),
  run_untagged: flag,
  locked: flag,
  maximum_timeout: nullable(Type.Integer({ description: 'Seconds.' })),
  access_level: Type.Enum([...ACCESS_LEVELS]),
  version: nullable(text),
  revision: nullable(text),
  platform: nullable(text),
  architecture: nullable(text),
  contacted_at: nullable(dateTime),
  /** Null for callers who may not update the runner. */
  maintenance_note: nullable(text),
  /** Absent with `include_projects=false`. */
  projects: Type.Optional(Type.Array(ProjectIdentity.schema)),
  groups: Type.Array(RunnerGroup),
})
  .columns(...LIST_COLUMNS, 'run_untagged', 'locked', 'maximum_timeout', 'access_level', 'contacted_at')
  .from(
    async (rows: readonly RunnerRow[], context) => ({
      ...(await loadRunnerRelations(rows, context)),
      details: new Map(await Promise.all(rows.map(async (row) => [row.id, await loadDetails(row, context)] as const))),
    }),
    (row, context, { details, ...relations }) => ({
      ...serializeListFields(row, context, relations),
      ...details.get(row.id)!,
    }),
  );

async function loadDetails(row: RunnerRow, context: SerializationContext) {
  const { db, caller, params } = context;
  const manager = await findLatestManager(db, row.id);
  // Before the first contact of a machine, the row has the properties that the runner sent at its registration.
  const { version, revision, platform, architecture } = manager ?? row;
  return {
    tag_list: await listRunnerTags(db, row.id),
    version,
    revision,
    platform,
    architecture,
    maintenance_note: (await mayUpdateRunner(db, caller, row)) ? row.maintenance_note : null,
    ...(params.include_projects === false ? {} : { projects: await listProjectsForDetail(context, row) }),
    groups: await listGroupsForDetail(context, row),
  };
}

/** A manager in lists and in the jobs that it runs. */
export const RunnerManager = entity('RunnerManager', {
  id: integer,
  system_id: text,
  version: nullable(text),
  revision: nullable(text),
  platform: nullable(text),
  architecture: nullable(text),
  created_at: dateTime,
  contacted_at: nullable(dateTime),
  ip_address: text,
  status: Type.Enum([...RUNNER_STATUSES]),
  job_execution_status: executionStatus,
})
  .columns(
    'id',
    'system_id',
    'version',
    'revision',
    'platform',
    'architecture',
    'created_at',
    'contacted_at',
    'ip_address',
  )
  .from(
    (rows: readonly ManagerRow[], { db }) =>
      loadActiveManagerIds(db, [...new Set(rows.map(({ runner_id }) => runner_id))]),
    (row, context, busyIds) => ({
      status: getRunnerStatus(row, context.now),
      job_execution_status: busyIds.has(row.id) ? ('active' as const) : ('idle' as const),
    }),
  );

/** A runner with its token, which the database stores only as a hash. */
export interface IssuedRunner {
  readonly id: number;
  readonly token: string;
  readonly token_expires_at: string | null;
}

/** The response to a registration or a verification of a runner. */
export const RunnerWithToken = entity('RunnerWithToken', {
  id: integer,
  token: text,
  token_expires_at: nullable(dateTime),
}).columns();

/** The response to a token reset. */
export const RunnerToken = entity('RunnerToken', { token: text, token_expires_at: nullable(dateTime) }).from(
  ({ token, token_expires_at }: IssuedRunner) => ({ token, token_expires_at }),
);

/** The response to the reset of a registration token. */
export const RegistrationToken = entity('RegistrationToken', { token: text });

// The details of a runner contain the projects and groups that the caller is a member of (contract/runners.md §1.2).

/** Maximum number of projects in the details of a runner; the project list of a runner contains all. */
const MAX_PROJECTS_IN_DETAIL = 1000;

/** Role of a caller who is not a member. */
const NO_ROLE = 0;

/**
 * Lists the projects of a runner that the caller is a member of; administrators see all.
 * index: runner_projects_by_runner
 */
async function listProjectsForDetail(context: SerializationContext, { id }: Pick<RunnerRow, 'id'>) {
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
async function listGroupsForDetail(
  { db, caller, url }: SerializationContext,
  { group_id }: Pick<RunnerRow, 'group_id'>,
) {
  const group = group_id === null ? null : await findGroup(db, caller, String(group_id));
  if (group === null || getGroupRole(caller, group) === NO_ROLE) return [];
  return [{ id: group.id, web_url: `${url}/groups/${group.full_path}`, name: group.name }];
}
