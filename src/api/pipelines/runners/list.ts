import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Caller } from '#authentication/caller.ts';
import { findRunners, type Runner } from '#authorization/runners.ts';
import { projectVisibleTo } from '#authorization/visibility.ts';
import type { Reader, Schema } from '#database/database.ts';
import { isInTexts } from '#database/dialect.ts';
import { type Page, paginate } from '#database/page.ts';
import { selectSelfAndAncestors } from '#domain/namespaces/hierarchy.ts';
import { findProjects, type Project } from '#domain/namespaces/projects.ts';
import { groupListsInstanceRunners, loadAllowedRunners } from '#domain/runners/runner-scope.ts';
import type { OffsetRequest } from '#http/lists/pagination.ts';
import { describe, optional, type ParameterValues } from '#http/parameters/declarations.ts';
import type { ParameterType } from '#http/parameters/parameter-type.ts';
import { limitedText, shortText } from '#http/parameters/texts.ts';
import { boolean, commaSeparated, oneOf } from '#http/parameters/types.ts';
import { buildStatusCondition, STATUS_FILTERS, type StatusFilter } from './status.ts';

/** Condition for the runners that a list may contain. */
type RunnerCondition = (eb: ExpressionBuilder<Schema, 'runners'>) => Expression<SqlBool>;

interface RunnerListRequest {
  readonly filter: RunnerFilter;
  readonly page: OffsetRequest;
  /** The current time. */
  readonly now: string;
}

/** The condition of the list of all runners, which excludes none. */
export const allRunnersCondition: RunnerCondition = (eb) => eb.lit(true);

/** Returns one page of these runners, the oldest first. index: runners primary key, runners_by_type */
export async function listRunnersWhere(
  db: Reader,
  condition: RunnerCondition,
  { filter, page, now }: RunnerListRequest,
): Promise<Page<Runner>> {
  const ids = db
    .selectFrom('runners')
    .select('runners.id')
    .where(condition)
    .where(buildFilterCondition(db, filter, now));
  const result = await paginate(db, ids.orderBy('runners.id', 'asc'), page);
  return {
    ...result,
    items: await findRunners(
      db,
      result.items.map(({ id }) => id),
    ),
  };
}

/** Builds the condition for the runners that are available to a project (contract/runners.md §1.6). */
export async function buildProjectRunnerCondition(
  db: Reader,
  project: { readonly id: number; readonly namespace_id: number },
): Promise<RunnerCondition> {
  const { ofGroups, ofInstance } = await loadAllowedRunners(db, project.id);
  return (eb) => {
    // index: runner_projects_by_project
    const ownRunnerIds = eb
      .selectFrom('runner_projects')
      .select('runner_projects.runner_id as id')
      .where('runner_projects.project_id', '=', project.id);
    const runnerIds = ofGroups ? ownRunnerIds.unionAll(selectRunnersOfGroups(db, project.namespace_id)) : ownRunnerIds;
    return eb('runners.id', 'in', ofInstance ? runnerIds.unionAll(selectInstanceRunners(db)) : runnerIds);
  };
}

/**
 * Builds the condition for runners of a group, its ancestors and, unless disabled, the instance
 * (contract/runners.md §1.7).
 */
export async function buildGroupRunnerCondition(db: Reader, { id }: { readonly id: number }): Promise<RunnerCondition> {
  const includesInstance = await groupListsInstanceRunners(db, id);
  return (eb) => {
    const groupRunnerIds = selectRunnersOfGroups(db, id);
    return eb(
      'runners.id',
      'in',
      includesInstance ? groupRunnerIds.unionAll(selectInstanceRunners(db)) : groupRunnerIds,
    );
  };
}

/** Selects runners of a group and its ancestors. index: namespace_closure_pkey, runners_by_group */
function selectRunnersOfGroups(db: Reader, namespaceId: number) {
  return db
    .selectFrom('runners as group_runners')
    .select('group_runners.id as id')
    .where('group_runners.group_id', 'in', selectSelfAndAncestors(db, namespaceId).select('namespaces.id'));
}

/** Selects instance runners. index: runners_by_type */
function selectInstanceRunners(db: Reader) {
  return db
    .selectFrom('runners as instance_runners')
    .select('instance_runners.id as id')
    .where('instance_runners.runner_type', '=', 'instance_type');
}

// Filters of runner lists (contract/runners.md §1.1).

const TYPES = ['instance_type', 'group_type', 'project_type'] as const;

/** Values of the deprecated parameter `scope` that are not a status, and their meaning. */
const TYPE_SCOPES = {
  specific: ['group_type', 'project_type'],
  shared: ['instance_type'],
  instance_type: ['instance_type'],
  group_type: ['group_type'],
  project_type: ['project_type'],
} as const;

type TypeScope = keyof typeof TYPE_SCOPES;
const typeScopes = Object.keys(TYPE_SCOPES) as TypeScope[];

const prefix = limitedText(255);

/** A version prefix that starts with a digit; the pattern in the OpenAPI document is less strict. */
const versionPrefix: ParameterType<string> = {
  schema: { ...prefix.schema, pattern: '^[\\d+.]+' } as ParameterType<string>['schema'],
  read(raw, name, problems) {
    const value = prefix.read(raw, name, problems);
    return value === null || /^\d/.test(value) ? value : problems.addInvalid(name);
  },
};

/** The parameters of all runner lists. */
export const filterParams = {
  type: optional(oneOf(...TYPES)),
  status: describe(
    optional(oneOf(...STATUS_FILTERS)),
    '`offline` includes stale runners and excludes those that were never online.',
  ),
  paused: optional(boolean),
  tag_list: describe(optional(commaSeparated(shortText)), 'Tags that the runner must all have.'),
  version_prefix: describe(
    optional(versionPrefix),
    'First one to three parts of the version of a manager: `15.1` matches 15.1.x, not 15.10.',
  ),
};

export const scopedFilterParams = {
  scope: describe(optional(oneOf(...STATUS_FILTERS, ...typeScopes)), 'Deprecated: use `type` or `status`.'),
  ...filterParams,
};

type RunnerFilter = ParameterValues<typeof filterParams> &
  Partial<Pick<ParameterValues<typeof scopedFilterParams>, 'scope'>>;

/** Returns whether the value of `scope` is a type of runner, not a status. */
export function isTypeScope(scope: string | null | undefined): scope is TypeScope {
  return scope != null && Object.hasOwn(TYPE_SCOPES, scope);
}

type RunnerExpressions = ExpressionBuilder<Schema, 'runners'>;

/** Builds the condition for runners that match all filters. */
function buildFilterCondition(db: Reader, filter: RunnerFilter, now: string): RunnerCondition {
  return (eb) => {
    const { scope, type, status, paused, tag_list, version_prefix } = filter;
    const conditions: Expression<SqlBool>[] = [];
    if (isTypeScope(scope)) conditions.push(eb('runners.runner_type', 'in', [...TYPE_SCOPES[scope]]));
    else if (scope != null) conditions.push(buildStatusCondition(scope as StatusFilter, now)(eb));
    if (type != null) conditions.push(eb('runners.runner_type', '=', type));
    if (status != null) conditions.push(buildStatusCondition(status, now)(eb));
    if (paused != null) conditions.push(eb('runners.paused', '=', paused));
    if (tag_list != null && tag_list.length > 0) conditions.push(buildTagsCondition(db, eb, [...new Set(tag_list)]));
    if (version_prefix != null) conditions.push(buildVersionCondition(eb, version_prefix));
    return eb.and(conditions);
  };
}

// The subqueries below run once per runner in list order: joins of id lists would multiply the lookups in SQLite.

/**
 * Builds the condition for runners with all these tags. It compares the number of matching tags, because PostgreSQL
 * needs minutes to plan one condition per tag.
 * index: runner_tags_pkey
 */
function buildTagsCondition(db: Reader, eb: RunnerExpressions, names: readonly string[]): Expression<SqlBool> {
  const tagCount = eb
    .selectFrom('runner_tags')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .whereRef('runner_tags.runner_id', '=', 'runners.id')
    .where(isInTexts(db, sql.ref<string>('runner_tags.name'), names));
  return eb(tagCount, '=', names.length);
}

/**
 * Builds the condition for runners with a manager of this version, in whole parts: `15.1` matches 15.1.x, not 15.10.
 * index: runner_managers_by_runner
 */
function buildVersionCondition(eb: RunnerExpressions, versionPrefix: string): Expression<SqlBool> {
  const ranges = listVersionRanges(versionPrefix);
  if (ranges.length === 0) return eb.lit(false);
  const version = sql.ref<string>('runner_managers.version');
  return eb.exists(
    eb
      .selectFrom('runner_managers')
      .select('runner_managers.id')
      .whereRef('runner_managers.runner_id', '=', 'runners.id')
      .where((on) => on.or(ranges.map(([from, to]) => sql<SqlBool>`(${version} >= ${from} and ${version} < ${to})`))),
  );
}

/** Returns the code point ranges of the versions with this prefix; empty if `versionPrefix` is not a version. */
function listVersionRanges(versionPrefix: string): readonly (readonly [from: string, to: string])[] {
  const parts = /^(\d+(?:\.\d+){0,2})\.?$/.exec(versionPrefix)?.[1];
  if (parts === undefined) return [];
  // In code point order, `/` follows the dot and `:` follows the digits; the last bound follows all texts.
  // A third part has two ranges, which exclude versions with a further digit in this part.
  if (parts.split('.').length < 3) return [[`${parts}.`, `${parts}/`]];
  return [
    [parts, `${parts}0`],
    [`${parts}:`, `${parts}\u{10ffff}`],
  ];
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
