import { storedAttributes } from '#api/namespaces/projects/index.ts';
import { ANONYMOUS } from '#authentication/caller.ts';
import type { Runner } from '#authorization/runners.ts';
import type { Reader } from '#database/database.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import type { Services } from '#http/services.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { digestToken, newToken } from '#security/tokens.ts';
import { type FailureReason, hasLapsed } from '../jobs/index.ts';
import { changeJob, heldBack, jobsTurn } from '../processing/index.ts';
import { withInHand } from './assignment-lock.ts';
import { anyWaits, type Candidate, nextCandidates } from './choose-job.ts';
import { canRun } from './runner-features.ts';
import { type Dependency, dependenciesOf, readWork, type Work } from './store.ts';

/** A runner that asks, and the machine on which it does. */
export interface Asking {
  readonly runner: Runner;
  readonly managerId: number;
  readonly features: Readonly<Record<string, boolean>> | null | undefined;
}

/** A job that is this runner's now. */
export interface Taken {
  readonly work: Work;
  readonly dependencies: readonly Dependency[];
  readonly token: string;
  readonly timeout: number;
  readonly startedAt: string;
  /** How many were looked at. */
  readonly depth: number;
}

/** So many are looked at for one question. */
const MOST_TRIES = 100;

/**
 * The next job for a runner, which is its own from now on, and nobody else's: one compare-and-set says so. What no runner
 * could run is failed on the way. `none`: there is nothing for it; `lost`: there was, and others were faster, or there is more to be
 * looked at than one question is worth, so that it is to ask again.
 */
export async function takeJob(services: Services, asking: Asking): Promise<Taken | Failure<'none' | 'lost'>> {
  const { reader } = services.database;
  if (!(await anyWaits(reader))) return fail('none');
  let lost = false;
  // What other requests are taking waits still, in front of what is left for this one.
  let inHand = 0;
  for (let depth = 1; depth <= MOST_TRIES; ) {
    const candidates = await nextCandidates(reader, asking.runner, inHand);
    if (candidates.length === 0) return fail(lost ? 'lost' : 'none');
    for (const candidate of candidates) {
      const taken = await withInHand(services, candidate.id, () => tryTo(services, asking, candidate));
      if (taken === 'lost' || taken === 'in hand') lost = true;
      else if (taken !== 'failed') return { ...taken, depth };
      if (taken === 'in hand') inHand++;
      depth++;
    }
  }
  return fail('lost');
}

type Try = Omit<Taken, 'depth'> | 'lost' | 'failed';

async function tryTo(
  { runUnitOfWork }: Services,
  { runner, managerId, features }: Asking,
  { id, project_id }: Candidate,
) {
  const token = newToken('glcbt-');
  return runUnitOfWork(
    ANONYMOUS,
    async (uow): Promise<Try> => {
      const work = await readWork(uow, id);
      if (work === null) return 'lost';
      const dependencies = await dependenciesOf(uow, work);
      const project = await projectOf(uow, work.project_id);
      const reason =
        (await reasonAgainst(uow, { work, dependencies, project, features, now: uow.now })) ??
        (await reasonOfEnvironment(uow, work));
      if (reason !== null) {
        const failed = await changeJob(uow, id, ['pending'], 'failed', { failure_reason: reason });
        return failed === null ? 'lost' : 'failed';
      }
      const timeout = timeoutOf(work, runner, project);
      const change = { runner_id: runner.id, runner_manager_id: managerId, token_digest: digestToken(token), timeout };
      const job = await changeJob(uow, id, ['pending'], 'running', change);
      return job === null ? 'lost' : { work, dependencies, token, timeout, startedAt: uow.now };
    },
    { turn: jobsTurn(project_id) },
  );
}

/** index: projects primary key */
function projectOf(db: Reader, projectId: number) {
  return db
    .selectFrom('projects')
    .select(['builds_access_level', 'marked_for_deletion_on', 'attributes'])
    .where('id', '=', projectId)
    .executeTakeFirstOrThrow();
}

interface Asked {
  readonly work: Work;
  readonly dependencies: readonly Dependency[];
  readonly project: Awaited<ReturnType<typeof projectOf>>;
  readonly features: Asking['features'];
  readonly now: string;
}

/** Why no runner, or not this one, is given the job (contract/runners.md §7); null: nothing speaks against it. */
async function reasonAgainst(
  db: Reader,
  { work, dependencies, project, features, now }: Asked,
): Promise<FailureReason | null> {
  if (project.marked_for_deletion_on !== null) return 'project_deleted';
  if (project.builds_access_level === 'disabled') return 'builds_disabled';
  if (work.user_state !== 'active') return 'user_blocked';
  if (!canRun(features, work.options)) return 'runner_unsupported';
  for (const { id, erased_at, artifacts_expire_at } of dependencies) {
    if (erased_at !== null || (await hasLapsed(db, id, artifacts_expire_at, now))) return 'missing_dependency_failure';
  }
  return null;
}

/** Whoever has lost the right to deploy since the job was let wait for a runner deploys nothing any more. */
async function reasonOfEnvironment(uow: UnitOfWork, work: Work): Promise<FailureReason | null> {
  const held = (await heldBack(uow, work, [work])).get(work.id);
  return held === undefined || held === 'waiting' ? null : held;
}

function timeoutOf(work: Work, { maximum_timeout }: Runner, project: { readonly attributes: string }): number {
  const own = work.timeout ?? storedAttributes(project).build_timeout;
  return maximum_timeout === null ? own : Math.min(own, maximum_timeout);
}
