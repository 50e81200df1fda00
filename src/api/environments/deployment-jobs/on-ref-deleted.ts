import { loadCaller } from '#authentication/users/users.ts';
import { findMatchingRules } from '#authorization/protected-branches/branch-rules.ts';
import { listProtectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import { type DeploymentRow, findLastDeployment } from '#domain/deployments.ts';
import { findEnvironment } from '#domain/environments.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { ZERO_ID } from '#git/refs/refs.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { environmentLockKeys } from '../environment-model/index.ts';
import { mayStopEnvironment, stopEnvironment } from '../environments/index.ts';
import {
  BATCH_SIZE,
  findMergeRequest,
  hasAvailableEnvironment,
  listEnvironmentIdsDeployedFrom,
  listVersionHeads,
} from './store.ts';

// Stops the environments of a deleted branch, or of a merged or closed merge request, on behalf of the acting user
// (contract/environments.md Part 5). Environments that this user may not stop stay available.

interface EndedRef {
  readonly projectId: number;
  readonly userId: number;
  readonly branch: string;
  /** Only deployments by jobs for these commits count; null means all deployments of the branch. */
  readonly commits: readonly string[] | null;
}

/** Enqueues a job for each deleted branch, if the project has an available environment. */
export async function onBranchesDeleted(
  uow: UnitOfWork,
  { projectId, userId, changes }: EventPayloads['refs-changed'],
): Promise<void> {
  const deletedBranches = changes.filter(({ ref, newId }) => newId === ZERO_ID && ref.startsWith(HEADS));
  if (userId === null || deletedBranches.length === 0 || !(await hasAvailableEnvironment(uow, projectId))) return;
  for (const { ref } of deletedBranches) {
    await enqueue(uow, stopEnvironments, { projectId, userId, branch: ref.slice(HEADS.length), commits: null });
  }
}

/** Enqueues a job for the source branch of a merged or closed merge request, limited to the commits of its versions. */
export async function onMergeRequestEnded(
  uow: UnitOfWork,
  { event, about }: EventPayloads['notifiable-event-occurred'],
): Promise<void> {
  if (event !== 'close_merge_request' && event !== 'merge_merge_request') return;
  const mergeRequest = uow.actor.user === null ? null : await findMergeRequest(uow, about.id);
  if (mergeRequest === null || !(await hasAvailableEnvironment(uow, mergeRequest.project_id))) return;
  const { project_id: projectId, source_branch: branch } = mergeRequest;
  // A protected source branch is not deleted, so its environments stay.
  if (findMatchingRules(await listProtectionRules(uow, projectId), branch).length > 0) return;
  const commits = await listVersionHeads(uow, about.id);
  await enqueue(uow, stopEnvironments, { projectId, userId: uow.actor.user!.id, branch, commits });
}

export const stopEnvironments = defineJob({
  kind: 'stop_environments_of_branch',
  async handle(services: Pick<Services, 'database' | 'runUnitOfWork'>, endedRef: EndedRef, { signal }) {
    const { reader } = services.database;
    for (let afterId = 0; !signal.aborted; ) {
      const ids = await listEnvironmentIdsDeployedFrom(reader, endedRef, afterId);
      for (const id of ids)
        if (await isLastDeploymentFrom(reader, id, endedRef)) await stopIfAllowed(services, id, endedRef);
      if (ids.length < BATCH_SIZE) return;
      afterId = ids.at(-1) ?? afterId;
    }
  },
});

async function isLastDeploymentFrom(db: Reader, environmentId: number, endedRef: EndedRef): Promise<boolean> {
  const lastDeployment = await findLastDeployment(db, environmentId);
  return lastDeployment !== null && isDeploymentFrom(lastDeployment, endedRef);
}

function isDeploymentFrom({ ref, tag, sha, job_id }: DeploymentRow, { branch, commits }: EndedRef): boolean {
  return ref === branch && !tag && (commits === null || (job_id !== null && commits.includes(sha)));
}

async function stopIfAllowed(
  { database, runUnitOfWork }: Pick<Services, 'database' | 'runUnitOfWork'>,
  id: number,
  { projectId, userId }: EndedRef,
): Promise<void> {
  const caller = await loadCaller(database.reader, userId, null);
  await runUnitOfWork(
    caller,
    async (uow) => {
      const project = await findProject(uow, caller, String(projectId));
      const environment = await findEnvironment(uow, projectId, id);
      if (project === null || environment?.state !== 'available') return null;
      if (!(await mayStopEnvironment(uow, uow.tier, caller, project, environment))) return null;
      return stopEnvironment(uow, environment, { force: false });
    },
    { lock: environmentLockKeys(projectId, id), exemptFromLimit: true },
  );
}
