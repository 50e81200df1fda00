import { type Expression, expressionBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { Reader, Schema } from '#database/database.ts';
import type { RunnerAccessLevel, RunnersTables, RunnerType } from '#database/tables/runners.ts';
import { groupAttributes } from '../namespaces/group-attributes.ts';
import { itselfAndAbove, namespacesInside } from '../namespaces/hierarchy.ts';

/**
 * Which projects runners serve, and which jobs suit them (contract/runners.md §7). Attributes are stored as the JSON
 * of what differs from the defaults, without blanks; inside a text its quotes would be escaped, so that a key with its value is
 * found nowhere else.
 */

const differs = (column: string, name: string, value: string) =>
  sql<SqlBool>`${sql.ref(column)} like ${`%"${name.replaceAll('_', '\\_')}":${value}%`} escape '\\'`;

const ofProjects = expressionBuilder<Schema, 'projects'>();

/** Projects that take the runners of the groups above them. */
export function takesGroupRunners(): Expression<SqlBool> {
  return ofProjects.not(differs('projects.attributes', 'group_runners_enabled', 'false'));
}

/** Projects that take the runners of the instance: they say so, and no group above forbids it. index: namespace_closure_pkey */
function takesInstanceRunners(): Expression<SqlBool> {
  const forbids = ofProjects
    .selectFrom('namespace_closure')
    .innerJoin('namespaces as above', 'above.id', 'namespace_closure.ancestor_id')
    .select('above.id')
    .whereRef('namespace_closure.descendant_id', '=', 'projects.namespace_id')
    .where(differs('above.attributes', 'shared_runners_setting', '"disabled\\_and\\_unoverridable"'));
  return ofProjects.and([
    ofProjects.not(differs('projects.attributes', 'shared_runners_enabled', 'false')),
    ofProjects.not(ofProjects.exists(forbids)),
  ]);
}

/** What of a runner says which jobs it may take; runners of one kind differ in their ids alone. */
export interface ReachingRunner extends RunnerKind {
  readonly id: Expression<number>;
  readonly group_id: Expression<number>;
}

/** The rest of it, of which there are few. */
export type RunnerKind = Pick<Selectable<RunnersTables['runners']>, 'runner_type' | 'run_untagged' | 'access_level'>;

/** The same of a runner in a query. */
interface RunnerTerms {
  readonly id: Expression<number>;
  readonly run_untagged: Expression<SqlBool>;
  readonly access_level: Expression<RunnerAccessLevel>;
}

/** The jobs of a query over `jobs` and `projects` that a known runner may take. */
export function takenBy(db: Reader, runner: ReachingRunner): Expression<SqlBool> {
  // Its kind stands in the text: the planner sees what it asks for.
  const { id, run_untagged, access_level } = runner;
  const terms = { id, run_untagged: lit(run_untagged), access_level: lit(access_level) };
  return builder.and([servedBy(db, runner), fitsRunner(terms)]);
}

/** The same of a query over `runners` too, row by row: for who asks which runners there are. */
export function takenByRow(): Expression<SqlBool> {
  const { ref } = builder;
  const terms = {
    id: ref('runners.id'),
    run_untagged: builder('runners.run_untagged', '=', true),
    access_level: ref('runners.access_level'),
  };
  return builder.and([fitsRunner(terms), servedByRow()]);
}

const builder = expressionBuilder<Schema, 'jobs' | 'projects' | 'runners'>();
const lit = <T extends string | boolean>(value: T) => sql<T>`${sql.lit(value)}`;

/**
 * Every tag of the job is one of the runner's, a job without any the runner must want, and some take those of protected refs
 * alone. index: job_tags_pkey, runner_tags_pkey
 */
function fitsRunner({ id, run_untagged, access_level }: RunnerTerms): Expression<SqlBool> {
  const tags = builder.selectFrom('job_tags').select(sql.lit(1).as('one')).whereRef('job_tags.job_id', '=', 'jobs.id');
  const own = builder.selectFrom('runner_tags').select('runner_tags.name').where('runner_tags.runner_id', '=', id);
  return builder.and([
    builder.or([builder(access_level, '=', lit('not_protected')), builder('jobs.protected', '=', true)]),
    builder.or([run_untagged, builder.exists(tags)]),
    builder.not(builder.exists(tags.where('job_tags.name', 'not in', own))),
  ]);
}

/** Jobs of the projects that the runner serves. index: runner_projects_by_runner, namespace_closure_by_ancestor */
function servedBy(db: Reader, { id, runner_type, group_id }: ReachingRunner): Expression<SqlBool> {
  switch (runner_type) {
    case 'project_type': {
      const own = db.selectFrom('runner_projects').select('runner_projects.project_id').where('runner_id', '=', id);
      return builder('jobs.project_id', 'in', own);
    }
    case 'group_type':
      return builder.and([builder('projects.namespace_id', 'in', namespacesInside(db, group_id)), takesGroupRunners()]);
    case 'instance_type':
      return takesInstanceRunners();
  }
}

/** index: namespace_closure_pkey, runner_projects_by_runner */
function servedByRow(): Expression<SqlBool> {
  const above = builder
    .selectFrom('namespace_closure')
    .select('namespace_closure.ancestor_id')
    .whereRef('namespace_closure.descendant_id', '=', 'projects.namespace_id')
    .whereRef('namespace_closure.ancestor_id', '=', 'runners.group_id');
  const own = builder
    .selectFrom('runner_projects')
    .select('runner_projects.id')
    .whereRef('runner_projects.runner_id', '=', 'runners.id')
    .whereRef('runner_projects.project_id', '=', 'projects.id');
  const of = (type: RunnerType) => builder('runners.runner_type', '=', type);
  return builder.or([
    builder.and([of('instance_type'), takesInstanceRunners()]),
    builder.and([of('group_type'), takesGroupRunners(), builder.exists(above)]),
    builder.and([of('project_type'), builder.exists(own)]),
  ]);
}

/** What of the two one project takes. index: projects primary key */
export async function runnersTakenBy(
  db: Reader,
  projectId: number,
): Promise<{ readonly ofGroups: boolean; readonly ofInstance: boolean }> {
  const takes = (condition: Expression<SqlBool>) =>
    ofProjects.case().when(condition).then(ofProjects.lit(1)).else(ofProjects.lit(0)).end();
  const taken = await db
    .selectFrom('projects')
    .select([takes(takesGroupRunners()).as('groups'), takes(takesInstanceRunners()).as('instance')])
    .where('projects.id', '=', projectId)
    .executeTakeFirst();
  return { ofGroups: taken?.groups === 1, ofInstance: taken?.instance === 1 };
}

/** Does a group list the runners of the instance: it shows them, and no group above forbids them? index: namespace_closure_pkey */
export async function groupShowsInstanceRunners(db: Reader, groupId: number): Promise<boolean> {
  const rows = await itselfAndAbove(db, groupId)
    .select(['namespaces.attributes', 'namespace_closure.depth'])
    .orderBy('namespace_closure.depth')
    .execute();
  const [own, ...above] = rows.map(({ attributes }) => groupAttributes(attributes).shared_runners_setting);
  return own === 'enabled' && !above.includes('disabled_and_unoverridable');
}
