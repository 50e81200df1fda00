import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { existsCondition, type IssuableListScope, type ListCondition } from '#api/planning/issuables/index.ts';
import type { Reader } from '#database/database.ts';
import { isPresent } from '#http/parameters/declarations.ts';

/** Filters by the deployments that shipped a merge request (contract/planning.md §3.8). */

interface DeploymentFilter {
  /** Name of the environment. */
  readonly environment?: string | null | undefined;
  readonly deployed_before?: string | null | undefined;
  readonly deployed_after?: string | null | undefined;
}

/** Returns whether one of the filters is set. */
export const hasDeploymentFilter = ({ environment, deployed_before, deployed_after }: DeploymentFilter): boolean =>
  isPresent(environment) || isPresent(deployed_before) || isPresent(deployed_after);

/** Returns the condition that one deployment fulfils all filters; none without filters. */
export function deploymentConditions(
  db: Reader,
  { project }: IssuableListScope,
  { environment, deployed_before: before, deployed_after: after }: DeploymentFilter,
): ListCondition[] {
  const isInTime = [
    ...(isPresent(before) ? [sql<SqlBool>`deployment.finished_at < ${before}`] : []),
    ...(isPresent(after) ? [sql<SqlBool>`deployment.finished_at > ${after}`] : []),
  ];
  if (isPresent(environment)) return [environmentCondition(db, project, environment, isInTime)];
  return isInTime.length === 0 ? [] : [timeCondition(db, project, isInTime)];
}

type ListedProject = IssuableListScope['project'];

const MERGE_REQUEST_ID = sql.ref('merge_requests.id');

/** Returns the condition for an environment. index: environments_by_name, environments_of_all_by_name, deployment_merge_requests_pkey, deployments primary key */
function environmentCondition(
  db: Reader,
  project: ListedProject,
  name: string,
  isInTime: readonly RawBuilder<SqlBool>[],
): ListCondition {
  // The cross joins keep the order of the tables on SQLite.
  const selectShipped = (isEnvironment: RawBuilder<SqlBool>) =>
    sql`select link.merge_request_id from environments as environment cross join deployment_merge_requests as link
      cross join deployments as deployment
      where ${isEnvironment} and link.environment_id = environment.id
      and ${joinConditions([sql<SqlBool>`deployment.id = link.deployment_id`, ...isInTime])}`;
  const isOfRow = sql<SqlBool>`environment.project_id = merge_requests.project_id and environment.name = ${name}`;
  const isNamed =
    project === null
      ? // The expression of `environments_of_all_by_name`.
        sql<SqlBool>`environment.name || '' = ${name}`
      : sql<SqlBool>`environment.project_id = ${project.id} and environment.name = ${name}`;
  return {
    ...existsCondition(db, sql`${selectShipped(isOfRow)} and link.merge_request_id = ${MERGE_REQUEST_ID}`),
    ids: selectShipped(isNamed),
  };
}

/** Returns the condition for the end of a deployment. index: deployments_by_finished_at, deployments_of_all_by_finished_at, deployment_merge_requests_by_deployment, deployment_merge_requests_by_merge_request */
function timeCondition(db: Reader, project: ListedProject, isInTime: readonly RawBuilder<SqlBool>[]): ListCondition {
  const isMatch = joinConditions([sql<SqlBool>`deployment.id = link.deployment_id`, ...isInTime]);
  const inProject = project === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`deployment.project_id = ${project.id}`;
  return {
    ...existsCondition(
      db,
      sql`select 1 from deployment_merge_requests as link cross join deployments as deployment
        where link.merge_request_id = ${MERGE_REQUEST_ID} and ${isMatch}`,
    ),
    ids: sql`select link.merge_request_id from deployments as deployment cross join deployment_merge_requests as link
      where ${inProject} and ${isMatch}`,
  };
}

const joinConditions = (conditions: readonly RawBuilder<SqlBool>[]) =>
  sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
