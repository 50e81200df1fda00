import { ANONYMOUS } from '#authentication/caller.ts';
import type { Reader, Transaction } from '#database/database.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { findProject, type Project } from '#domain/namespaces/projects.ts';
import { PIECE } from '#events/batches.ts';
import { commitsBetween } from '#git/commits/commits-between.ts';
import type { Git } from '#git/git.ts';
import { resolveRevision } from '#git/refs/revision.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { repositoryOf } from '#repositories/repository.ts';
import type { RefServices } from '#repositories/services.ts';
import { linkShipped, mergedAs, mergedInto, successBefore } from './shipped-merge-requests.ts';

/** Which merge requests have been shipped with a deployment (contract/environments.md Part 4): found out when it has succeeded. */

/** Part of the act by which it has. */
export async function linkMergeRequestsSoon(tx: Transaction, { id, project_id }: DeploymentRow): Promise<void> {
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
    if (environment === null || !isLasting(environment)) return;
    const shipped = await shippedSince(db, git, project, deployment);
    for (let from = 0; from < shipped.length; from += PIECE) {
      await runUnitOfWork(ANONYMOUS, async (uow) => {
        const now = await findDeployment(uow, projectId, deploymentId);
        if (now !== null) await linkShipped(uow, now, shipped.slice(from, from + PIECE));
      });
    }
  },
});

/** Not one of those that come and go, one for each branch. */
function isLasting({ folder, tier }: EnvironmentRow): boolean {
  return folder === null || tier === 'production' || tier === 'staging';
}

async function shippedSince(db: Reader, git: Git, project: Project, deployment: DeploymentRow): Promise<number[]> {
  const before = await successBefore(db, deployment);
  if (before === null) return mergedInto(db, project.id, deployment.ref);
  const repository = repositoryOf(git, project);
  const from = await resolveRevision(git, repository, before.sha);
  const to = await resolveRevision(git, repository, deployment.sha);
  // What the repository has lost tells nothing.
  return from === null || to === null ? [] : mergedAs(db, project.id, await commitsBetween(git, repository, from, to));
}
