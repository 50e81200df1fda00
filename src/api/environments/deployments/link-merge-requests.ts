import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { BATCH_SIZE } from '#events/batches.ts';
import { listCommitsBetween } from '#git/commits/commit-log.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { getRepository } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import {
  findPreviousSuccessfulDeployment,
  insertShippedMergeRequests,
  listIdsMergedByCommits,
  listIdsMergedInto,
} from './shipped-merge-requests.ts';

// Links merge requests to the deployment that shipped them, after its success (contract/environments.md Part 4).

/** Enqueues the job that links the merge requests, in the transaction that sets the status. */
export async function enqueueLinkMergeRequests(tx: Transaction, { id, project_id }: DeploymentRow): Promise<void> {
  await enqueue(tx, linkMergeRequests, { projectId: project_id, deploymentId: id });
}

export const linkMergeRequests = defineJob({
  kind: 'link_merge_requests_of_deployment',
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
  // A commit that is missing in the repository links nothing.
  return fromCommit === null || toCommit === null
    ? []
    : listIdsMergedByCommits(db, project.id, await listCommitsBetween(git, repository, fromCommit, toCommit));
}
