import { storedAttributes } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Runner } from '#authorization/runners.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { generateToken, hashToken } from '#security/tokens.ts';
import { type FailureReason, hasExpired } from '../jobs/index.ts';
import { changeJobStatus, findBlockedDeployments, jobsLockKey } from '../processing/index.ts';
import { withAssignmentLock } from './assignment-lock.ts';
import { type CandidateJob, hasPendingJobs, listCandidates } from './choose-job.ts';
import { supportsJob } from './runner-features.ts';
import { findRunnableJob, type JobDependency, listDependencies, type RunnableJob } from './store.ts';

/** A runner that requests a job, and its manager. */
export interface RequestingRunner {
  readonly runner: Runner;
  readonly managerId: number;
  readonly features: Readonly<Record<string, boolean>> | null | undefined;
}

/** A job that was assigned to this runner. */
export interface RunnerJob {
  readonly job: RunnableJob;
  readonly dependencies: readonly JobDependency[];
  readonly token: string;
  readonly timeout: number;
  readonly startedAt: string;
  /** Number of jobs that were tried. */
  readonly depth: number;
}

/** Limit of jobs that are tried per request. */
const MAX_ATTEMPTS = 100;

/**
 * Assigns the next job to a runner by a compare-and-set. Jobs that no runner could run are failed on the way. Fails with `none`
 * if there is no job, and with `lost` if other runners were faster or too many jobs were tried; the runner then asks again.
 */
export async function claimJob(
  services: Services,
  requester: RequestingRunner,
): Promise<RunnerJob | Failure<'none' | 'lost'>> {
  const { reader } = services.database;
  if (!(await hasPendingJobs(reader))) return fail('none');
  let lost = false;
  // Jobs that other requests are assigning are still pending, ahead of the remaining ones.
  let inHand = 0;
  for (let depth = 1; depth <= MAX_ATTEMPTS; ) {
    const candidates = await listCandidates(reader, requester.runner, inHand);
    if (candidates.length === 0) return fail(lost ? 'lost' : 'none');
    for (const candidate of candidates) {
      const claim = await withAssignmentLock(services, candidate.id, () => tryToClaim(services, requester, candidate));
      if (claim === 'lost' || claim === 'in hand') lost = true;
      else if (claim !== 'failed') return { ...claim, depth };
      if (claim === 'in hand') inHand++;
      depth++;
    }
  }
  return fail('lost');
}

type ClaimAttempt = Omit<RunnerJob, 'depth'> | 'lost' | 'failed';

async function tryToClaim(
  { runUnitOfWork }: Services,
  { runner, managerId, features }: RequestingRunner,
  { id, project_id }: CandidateJob,
) {
  const token = generateToken('glcbt-');
  return runUnitOfWork(
    ANONYMOUS,
    async (uow): Promise<ClaimAttempt> => {
      const work = await findRunnableJob(uow, id);
      if (work === null) return 'lost';
      const dependencies = await listDependencies(uow, work);
      const project = await getJobProject(uow, work.project_id);
      const reason =
        (await findFailureReason(uow, { work, dependencies, project, features, now: uow.now })) ??
        (await findDeploymentFailureReason(uow, work));
      if (reason !== null) {
        const failed = await changeJobStatus(uow, id, ['pending'], 'failed', { failure_reason: reason });
        return failed === null ? 'lost' : 'failed';
      }
      const timeout = getTimeout(work, runner, project);
      const change = { runner_id: runner.id, runner_manager_id: managerId, token_digest: hashToken(token), timeout };
      const job = await changeJobStatus(uow, id, ['pending'], 'running', change);
      return job === null ? 'lost' : { job: work, dependencies, token, timeout, startedAt: uow.now };
    },
    { lock: jobsLockKey(project_id) },
  );
}

/** index: projects primary key */
function getJobProject(db: Reader, projectId: number) {
  return db
    .selectFrom('projects')
    .select(['builds_access_level', 'marked_for_deletion_on', 'attributes'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
}

interface FailureCheck {
  readonly work: RunnableJob;
  readonly dependencies: readonly JobDependency[];
  readonly project: Awaited<ReturnType<typeof getJobProject>>;
  readonly features: RequestingRunner['features'];
  readonly now: string;
}

/** Returns why the job must fail instead of being assigned (contract/runners.md §7), or null. */
async function findFailureReason(
  db: Reader,
  { work, dependencies, project, features, now }: FailureCheck,
): Promise<FailureReason | null> {
  if (project.marked_for_deletion_on !== null) return 'project_deleted';
  if (project.builds_access_level === 'disabled') return 'builds_disabled';
  if (work.user_state !== 'active') return 'user_blocked';
  if (!supportsJob(features, work.options)) return 'runner_unsupported';
  for (const { id, erased_at, artifacts_expire_at } of dependencies) {
    if (erased_at !== null || (await hasExpired(db, id, artifacts_expire_at, now))) return 'missing_dependency_failure';
  }
  return null;
}

/** Rechecks deployment rights: the user may have lost them since the job became pending. */
async function findDeploymentFailureReason(uow: UnitOfWork, work: RunnableJob): Promise<FailureReason | null> {
  const held = (await findBlockedDeployments(uow, work, [work])).get(work.id);
  return held === undefined || held === 'waiting' ? null : held;
}

function getTimeout(work: RunnableJob, { maximum_timeout }: Runner, project: { readonly attributes: string }): number {
  const own = work.timeout ?? storedAttributes(project).build_timeout;
  return maximum_timeout === null ? own : Math.min(own, maximum_timeout);
}
