import { type Expression, type SqlBool, sql } from 'kysely';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { isInIds, isInTexts } from '#database/dialect.ts';
import { type DeploymentRow, deploymentColumns, findDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import { listCommitsBetween } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';

// Rows of merge requests that deployments shipped.

/** Returns the previous successful deployment of the environment, or null. index: deployments_finished */
async function findPreviousSuccessfulDeployment(
  db: Reader,
  { id, environment_id, finished_at }: DeploymentRow,
): Promise<DeploymentRow | null> {
  const row = await db
    .selectFrom('deployments')
    .select(deploymentColumns)
    .where('environment_id', '=', environment_id)
    .where('status', '=', 'success')
    .where(sql<boolean>`(finished_at, id) < (${finished_at}, ${id})`)
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row ?? null;
}

/** Returns the ids of all merge requests merged into this branch. index: merge_requests_by_target_branch */
async function listIdsMergedInto(db: Reader, projectId: number, branch: string): Promise<number[]> {
  const rows = await db
    .selectFrom('merge_requests')
    .select('id')
    .where('target_branch', '=', branch)
    .where('project_id', '=', projectId)
    .where('state', '=', 'merged')
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** Maximum number of commits per query. */
const COMMITS_PER_QUERY = 1000;

/** Returns the ids of merge requests whose merge, squash or head commit is among these commits. */
async function listIdsMergedByCommits(db: Reader, projectId: number, commits: readonly string[]): Promise<number[]> {
  const mergeRequestIds = new Set<number>();
  for (let start = 0; start < commits.length; start += COMMITS_PER_QUERY) {
    for (const { id } of await buildMergedByCommitsQuery(
      db,
      projectId,
      commits.slice(start, start + COMMITS_PER_QUERY),
    ).execute())
      mergeRequestIds.add(id);
  }
  return [...mergeRequestIds].sort((a, b) => a - b);
}

// Selects the ids. Only merged requests have a merge or squash commit. index: merge_requests_by_merge_commit, merge_requests_by_squash_commit, merge_requests_merged_by_head
export function buildMergedByCommitsQuery(db: Reader, projectId: number, commits: readonly string[]) {
  const selectByColumn = (column: 'merge_commit_sha' | 'squash_commit_sha' | 'head_sha') =>
    db
      .selectFrom('merge_requests')
      .select('merge_requests.id')
      .where('merge_requests.project_id', '=', projectId)
      .where((eb) => isInTexts(db, eb.ref(`merge_requests.${column}`) as Expression<string>, commits));
  return selectByColumn('merge_commit_sha')
    .union(selectByColumn('squash_commit_sha'))
    .union(selectByColumn('head_sha').where('merge_requests.state', '=', sql.lit('merged')));
}

/** Links merge requests to a deployment, once per environment: earlier links are kept. index: deployment_merge_requests_pkey */
async function insertShippedMergeRequests(
  tx: Transaction,
  { id, environment_id }: DeploymentRow,
  mergeRequestIds: readonly number[],
): Promise<void> {
  // Merge requests may have been deleted since they were listed.
  const existingRows = await tx
    .selectFrom('merge_requests')
    .select('id')
    .where(isInIds(tx, sql.ref('id'), mergeRequestIds))
    .execute();
  if (existingRows.length === 0) return;
  await tx
    .insertInto('deployment_merge_requests')
    .values(existingRows.map((row) => ({ deployment_id: id, environment_id, merge_request_id: row.id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns the list condition for merge requests shipped with the deployment. index: deployment_merge_requests_by_deployment */
export function mergeRequestsOfDeploymentCondition({ id }: Pick<DeploymentRow, 'id'>) {
  const ids = sql`select merge_request_id from deployment_merge_requests where deployment_id = ${id}`;
  return { predicate: sql<SqlBool>`merge_requests.id in (${ids})`, ids };
}

// Links merge requests to the deployment that shipped them, after its success (contract/environments.md Part 4).

/** Enqueues the job that links the merge requests, in the transaction that sets the status. */
export async function enqueueLinkMergeRequests(tx: Transaction, { id, project_id }: DeploymentRow): Promise<void> {
  await enqueue(tx, linkMergeRequests, { projectId: project_id, deploymentId: id });
}

export const linkMergeRequests = defineJob({
  kind: 'link_deployed_merge_requests',
  async handle(
    { database, git, runUnitOfWork }: RefServices,
    { projectId, deploymentId }: { readonly projectId: number; readonly deploymentId: number },
  ) {
    const db = database.reader;
    const deployment = await findDeployment(db, projectId, deploymentId);
    const project = await findProject(db, ANONYMOUS, String(projectId));
    if (deployment?.status !== 'success' || project === null) return;
    const environment = await findEnvironment(db, projectId, deployment.environment_id);
    if (environment === null || !isLongLived(environment)) return;
    const mergeRequestIds = await listShippedMergeRequestIds(db, git, project, deployment);
    for (let start = 0; start < mergeRequestIds.length; start += BATCH_SIZE) {
      await runUnitOfWork(ANONYMOUS, async (uow) => {
        const currentDeployment = await findDeployment(uow, projectId, deploymentId);
        if (currentDeployment === null) return;
        await insertShippedMergeRequests(uow, currentDeployment, mergeRequestIds.slice(start, start + BATCH_SIZE));
      });
    }
  },
});

/** Returns whether the environment is long-lived, unlike review environments of branches. */
function isLongLived({ folder, tier }: EnvironmentRow): boolean {
  return folder === null || tier === 'production' || tier === 'staging';
}

async function listShippedMergeRequestIds(
  db: Reader,
  git: Git,
  project: Project,
  deployment: DeploymentRow,
): Promise<number[]> {
  const previousDeployment = await findPreviousSuccessfulDeployment(db, deployment);
  if (previousDeployment === null) return listIdsMergedInto(db, project.id, deployment.ref);
  const repository = getRepository(git, project);
  const fromCommit = await resolveRevision(git, repository, previousDeployment.sha);
  const toCommit = await resolveRevision(git, repository, deployment.sha);
  // Without both commits, the commits between them cannot be listed.
  return fromCommit === null || toCommit === null
    ? []
    : listIdsMergedByCommits(db, project.id, await listCommitsBetween(git, repository, fromCommit, toCommit));
}
