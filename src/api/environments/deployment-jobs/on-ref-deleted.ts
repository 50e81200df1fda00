import { callerOf } from '#authentication/users/users.ts';
import { rulesFor } from '#authorization/protected-branches/branch-rules.ts';
import { protectionRules } from '#authorization/protected-branches/protected-branches.ts';
import type { Reader } from '#database/database.ts';
import { type DeploymentRow, lastDeployment } from '#domain/deployments.ts';
import { findEnvironment } from '#domain/environments.ts';
import { findProject } from '#domain/namespaces/projects.ts';
import type { EventPayloads } from '#events/domain-events.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { HEADS } from '#git/ref-names.ts';
import { zeroId } from '#git/refs/refs.ts';
import type { Services } from '#http/services.ts';
import { defineJob, enqueue } from '#jobs/job.ts';
import { turnsWithJobs } from '../environment-model/index.ts';
import { mayStop, stopEnvironment } from '../environments/index.ts';
import { deployedFrom, PIECE, readMergeRequest, runsAnywhere, versionHeads } from './store.ts';

/**
 * What runs from a branch that is deleted, or from a merge request that is merged or closed, is stopped by whoever does that,
 * so far as he may (contract/environments.md Part 5).
 */

interface Ended {
  readonly projectId: number;
  readonly userId: number;
  readonly branch: string;
  /** Only what pipelines of these commits have deployed; null: whatever has. */
  readonly commits: readonly string[] | null;
}

export async function stopWithBranches(
  uow: UnitOfWork,
  { projectId, userId, changes }: EventPayloads['refs-changed'],
): Promise<void> {
  const deleted = changes.filter(({ ref, newId }) => newId === zeroId && ref.startsWith(HEADS));
  if (userId === null || deleted.length === 0 || !(await runsAnywhere(uow, projectId))) return;
  for (const { ref } of deleted) {
    await enqueue(uow, stopEnvironments, { projectId, userId, branch: ref.slice(HEADS.length), commits: null });
  }
}

export async function stopWithMergeRequest(
  uow: UnitOfWork,
  { event, about }: EventPayloads['occurred'],
): Promise<void> {
  if (event !== 'close_merge_request' && event !== 'merge_merge_request') return;
  const found = uow.actor.user === null ? null : await readMergeRequest(uow, about.id);
  if (found === null || !(await runsAnywhere(uow, found.project_id))) return;
  const { project_id: projectId, source_branch: branch } = found;
  // A branch that lives on, whatever was asked of it once, has not come to its end.
  if (rulesFor(await protectionRules(uow, projectId), branch).length > 0) return;
  const commits = await versionHeads(uow, about.id);
  await enqueue(uow, stopEnvironments, { projectId, userId: uow.actor.user!.id, branch, commits });
}

export const stopEnvironments = defineJob({
  kind: 'stop-environments-of-branch',
  async handle(services: Services, ended: Ended, { signal }) {
    const { reader } = services.database;
    for (let after = 0; !signal.aborted; ) {
      const some = await deployedFrom(reader, ended, after);
      for (const id of some) if (await isLastFrom(reader, id, ended)) await stopOne(services, id, ended);
      if (some.length < PIECE) return;
      after = some.at(-1) ?? after;
    }
  },
});

async function isLastFrom(db: Reader, environmentId: number, ended: Ended): Promise<boolean> {
  const last = await lastDeployment(db, environmentId);
  return last !== null && isFrom(last, ended);
}

function isFrom({ ref, tag, sha, job_id }: DeploymentRow, { branch, commits }: Ended): boolean {
  return ref === branch && !tag && (commits === null || (job_id !== null && commits.includes(sha)));
}

async function stopOne({ database, runUnitOfWork }: Services, id: number, { projectId, userId }: Ended): Promise<void> {
  const caller = await callerOf(database.reader, userId, null);
  await runUnitOfWork(
    caller,
    async (uow) => {
      const project = await findProject(uow, caller, String(projectId));
      const environment = await findEnvironment(uow, projectId, id);
      if (project === null || environment?.state !== 'available') return null;
      if (!(await mayStop(uow, uow.tier, caller, project, environment))) return null;
      return stopEnvironment(uow, environment, { force: false });
    },
    { turn: turnsWithJobs(projectId, id), owed: true },
  );
}
