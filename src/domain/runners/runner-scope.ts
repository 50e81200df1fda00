import { type Expression, expressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import type { RunnerAccessLevel, RunnerType } from '#database/schema.ts';
import { parseGroupAttributes } from '../namespaces/group-attributes.ts';
import { selectDescendantIds, selectSelfAndAncestors } from '../namespaces/hierarchy.ts';

// Conditions for the projects that a runner serves and the jobs that it may run (contract/runners.md §7). They search
// the JSON of `attributes`, which is stored without blanks. Quotes inside a JSON text are escaped, so `"key":value`
// cannot occur elsewhere.

/** Condition: the JSON in `column` contains the attribute with this value. */
const hasAttribute = (column: string, name: string, value: string) =>
  sql<SqlBool>`${sql.ref(column)} like ${sql.lit(`%"${name.replaceAll('_', '\\_')}":${value}%`)} escape '\\'`;

const projectBuilder = expressionBuilder<Schema, 'projects'>();

/** Condition: the project allows runners of the groups above it. */
export function allowsGroupRunners(): Expression<SqlBool> {
  return projectBuilder.not(hasAttribute('projects.attributes', 'group_runners_enabled', 'false'));
}

/** Condition: the project allows instance runners, and no group above forbids them. index: namespace_closure_pkey */
function allowsInstanceRunners(): Expression<SqlBool> {
  const forbiddingGroups = projectBuilder
    .selectFrom('namespace_closure')
    .innerJoin('namespaces as ancestor', 'ancestor.id', 'namespace_closure.ancestor_id')
    .select('ancestor.id')
    .whereRef('namespace_closure.descendant_id', '=', 'projects.namespace_id')
    .where(hasAttribute('ancestor.attributes', 'shared_runners_setting', '"disabled\\_and\\_unoverridable"'));
  return projectBuilder.and([
    projectBuilder.not(hasAttribute('projects.attributes', 'shared_runners_enabled', 'false')),
    projectBuilder.not(projectBuilder.exists(forbiddingGroups)),
  ]);
}

/** The fields of a runner that decide which jobs it may run. Runners of the same kind differ only in their ids. */
export interface ScopedRunner extends RunnerKind {
  readonly id: Expression<number>;
  readonly group_id: Expression<number>;
}

/** The fields of a runner that have few different values. */
export type RunnerKind = Pick<Selectable<Schema['runners']>, 'runner_type' | 'run_untagged' | 'access_level'>;

/** The fields of a runner as SQL expressions. */
interface RunnerExpressions {
  readonly id: Expression<number>;
  readonly run_untagged: Expression<SqlBool>;
  readonly access_level: Expression<RunnerAccessLevel>;
}

/** Condition on `jobs` joined with `projects`: this runner may run the job. */
export function isJobForRunner(db: Reader, runner: ScopedRunner): Expression<SqlBool> {
  // The kind is part of the SQL text instead of the parameters, so that the planner can use it.
  const { id, run_untagged, access_level } = runner;
  const runnerExpressions = { id, run_untagged: toLiteral(run_untagged), access_level: toLiteral(access_level) };
  return builder.and([isServedByRunner(db, runner), jobMatchesRunner(runnerExpressions)]);
}

/** Condition on `jobs`, `projects` and `runners`: the runner of the row may run the job. */
export function isJobForRunnerRow(): Expression<SqlBool> {
  const { ref } = builder;
  const runnerExpressions = {
    id: ref('runners.id'),
    run_untagged: builder('runners.run_untagged', '=', true),
    access_level: ref('runners.access_level'),
  };
  return builder.and([jobMatchesRunner(runnerExpressions), isServedByRunnerRow()]);
}

const builder = expressionBuilder<Schema, 'jobs' | 'projects' | 'runners'>();
const toLiteral = <T extends string | boolean>(value: T) => sql<T>`${sql.lit(value)}`;

/**
 * Condition: the runner has every tag of the job, accepts untagged jobs if there are none, and is not restricted to
 * protected refs unless the job's ref is protected.
 * index: job_tags_pkey, runner_tags_pkey
 */
function jobMatchesRunner({ id, run_untagged, access_level }: RunnerExpressions): Expression<SqlBool> {
  const jobTags = builder
    .selectFrom('job_tags')
    .select(sql.lit(1).as('one'))
    .whereRef('job_tags.job_id', '=', 'jobs.id');
  const runnerTags = builder
    .selectFrom('runner_tags')
    .select('runner_tags.name')
    .where('runner_tags.runner_id', '=', id);
  return builder.and([
    builder.or([builder(access_level, '=', toLiteral('not_protected')), builder('jobs.protected', '=', true)]),
    builder.or([run_untagged, builder.exists(jobTags)]),
    builder.not(builder.exists(jobTags.where('job_tags.name', 'not in', runnerTags))),
  ]);
}

/**
 * Condition: the job belongs to a project that the runner serves.
 * index: runner_projects_by_runner, namespace_closure_by_ancestor
 */
function isServedByRunner(db: Reader, { id, runner_type, group_id }: ScopedRunner): Expression<SqlBool> {
  switch (runner_type) {
    case 'project_type': {
      const assignedProjectIds = db
        .selectFrom('runner_projects')
        .select('runner_projects.project_id')
        .where('runner_id', '=', id);
      return builder('jobs.project_id', 'in', assignedProjectIds);
    }
    case 'group_type':
      return builder.and([
        builder('projects.namespace_id', 'in', selectDescendantIds(db, group_id)),
        allowsGroupRunners(),
      ]);
    case 'instance_type':
      return allowsInstanceRunners();
  }
}

/** Condition: the runner of the row serves the project. index: namespace_closure_pkey, runner_projects_by_runner */
function isServedByRunnerRow(): Expression<SqlBool> {
  const ancestorIds = builder
    .selectFrom('namespace_closure')
    .select('namespace_closure.ancestor_id')
    .whereRef('namespace_closure.descendant_id', '=', 'projects.namespace_id')
    .whereRef('namespace_closure.ancestor_id', '=', 'runners.group_id');
  const assignments = builder
    .selectFrom('runner_projects')
    .select('runner_projects.id')
    .whereRef('runner_projects.runner_id', '=', 'runners.id')
    .whereRef('runner_projects.project_id', '=', 'projects.id');
  const hasType = (type: RunnerType) => builder('runners.runner_type', '=', type);
  return builder.or([
    builder.and([hasType('instance_type'), allowsInstanceRunners()]),
    builder.and([hasType('group_type'), allowsGroupRunners(), builder.exists(ancestorIds)]),
    builder.and([hasType('project_type'), builder.exists(assignments)]),
  ]);
}

/** Returns whether the project allows group runners and instance runners. index: projects primary key */
export async function loadAllowedRunners(
  db: Reader,
  projectId: number,
): Promise<{ readonly ofGroups: boolean; readonly ofInstance: boolean }> {
  const toZeroOrOneLiteral = (condition: Expression<SqlBool>) =>
    projectBuilder.case().when(condition).then(projectBuilder.lit(1)).else(projectBuilder.lit(0)).end();
  const project = await db
    .selectFrom('projects')
    .select([
      toZeroOrOneLiteral(allowsGroupRunners()).as('groups'),
      toZeroOrOneLiteral(allowsInstanceRunners()).as('instance'),
    ])
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  return { ofGroups: project?.groups === 1, ofInstance: project?.instance === 1 };
}

/**
 * Returns whether a group lists instance runners: it allows them, and no group above forbids them.
 * index: namespace_closure_pkey
 */
export async function groupListsInstanceRunners(db: Reader, groupId: number): Promise<boolean> {
  const rows = await selectSelfAndAncestors(db, groupId)
    .select(['namespaces.attributes', 'namespace_closure.depth'])
    .orderBy('namespace_closure.depth')
    .execute();
  const [ownSetting, ...ancestorSettings] = rows.map(
    ({ attributes }) => parseGroupAttributes(attributes).shared_runners_setting,
  );
  return ownSetting === 'enabled' && !ancestorSettings.includes('disabled_and_unoverridable');
}
