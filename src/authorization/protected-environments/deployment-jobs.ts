import type { Caller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { isInIds } from '#database/dialect.ts';
import { type EnvironmentRow, findEnvironmentByName } from '#domain/environments.ts';
import { loadJobOptions } from '#domain/jobs.ts';
import { REPORTER } from '#domain/members/roles.ts';
import { findProject, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { mayInProject } from '../abilities.ts';
import { countPendingApprovals, mayDeployTo, mayDeployToEach, needsApproval } from './deployment-rules.ts';
import { type EnvironmentProtection, loadProtections, loadProtectionsForAll } from './protected-environments.ts';

// Which jobs with environments may start, and who may act on them by deployment permissions (contract/environments.md
// "Protection").

/** A job with an environment. `user_id`: the user that it runs as. */
export interface DeployJob {
  readonly id: number;
  readonly environment: string;
  readonly user_id: number | null;
}

/** Why a job may not start: its user is not allowed to deploy, or approvals of its deployment are missing. */
type DeployBlockReason = 'protected' | 'waiting';

/**
 * Returns the jobs of one project that may not start now, with the reason, keyed by job id. `environments`: the
 * environments that they name.
 */
export async function findBlockedJobs(
  db: Reader,
  tier: Tier,
  projectId: number,
  jobs: readonly DeployJob[],
  environments: ReadonlyMap<string, Pick<EnvironmentRow, 'name' | 'tier'>>,
): Promise<ReadonlyMap<number, DeployBlockReason>> {
  const blockReasons = new Map<number, DeployBlockReason>();
  if (tier === 'free') return blockReasons;
  const names = [...environments.keys()];
  const project = await getEnvironmentProject(db, projectId);
  const protectionLists = await loadProtectionsForAll(db, tier, project, [...environments.values()]);
  const protectionsByName = new Map(names.map((name, index) => [name, protectionLists[index]!]));
  const getProtections = ({ environment }: DeployJob) => protectionsByName.get(environment) ?? [];
  const protectedJobs = jobs.filter((job) => getProtections(job).length > 0);
  for (const [userId, userJobs] of Map.groupBy(protectedJobs, ({ user_id }) => user_id)) {
    const passResults = await passesProtections(db, userId, projectId, userJobs.map(getProtections));
    for (const [index, { id }] of userJobs.entries()) if (!passResults[index]) blockReasons.set(id, 'protected');
  }
  const jobsNeedingApproval = protectedJobs.filter(
    (job) => !blockReasons.has(job.id) && needsApproval(getProtections(job)),
  );
  const deploymentIds = await findStartingDeployments(db, jobsNeedingApproval);
  for (const job of jobsNeedingApproval) {
    const deploymentId = deploymentIds.get(job.id);
    if (deploymentId === undefined) continue;
    if ((await countPendingApprovals(db, getProtections(job), deploymentId)) > 0) blockReasons.set(job.id, 'waiting');
  }
  return blockReasons;
}

/** Returns the columns of a project by which its protections are selected. index: projects primary key */
function getEnvironmentProject(db: Reader, id: number) {
  return db.selectFrom('projects').select(['id', 'namespace_id']).where('id', '=', id).executeTakeFirstOrThrow();
}

/** Returns for each list of protections whether the job's user passes it and is at least a Reporter. */
async function passesProtections(
  db: Reader,
  userId: number | null,
  projectId: number,
  protections: readonly (readonly EnvironmentProtection[])[],
): Promise<readonly boolean[]> {
  const caller = await loadCaller(db, userId, null);
  const project = await findProject(db, caller, String(projectId));
  if (project === null || getProjectRole(caller, project) < REPORTER) return protections.map(() => false);
  return mayDeployToEach(db, caller, project, protections);
}

/**
 * Returns the jobs that start a deployment, with the id of the deployment; 0: not created yet.
 * index: jobs primary key, deployments_by_job
 */
async function findStartingDeployments(db: Reader, jobs: readonly DeployJob[]): Promise<ReadonlyMap<number, number>> {
  if (jobs.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .leftJoin('deployments', 'deployments.job_id', 'jobs.id')
    .select(['jobs.id', 'deployments.id as deployment'])
    .where((eb) => {
      const ids = jobs.map(({ id }) => id);
      return isInIds(db, eb.ref('jobs.id'), ids);
    })
    .execute();
  const options = await loadJobOptions<{ readonly environment: { readonly action?: string } | null }>(
    db,
    jobs.map(({ id }) => id),
    ['environment'],
  );
  // A job with an environment starts a deployment unless it declares another action.
  const startingRows = rows.filter(({ id }) => (options.get(id)?.environment?.action ?? 'start') === 'start');
  return new Map(startingRows.map(({ id, deployment }) => [id, deployment ?? 0]));
}

/**
 * "Deployment-only access": returns whether the caller, at least a Reporter, may play, retry and cancel this job
 * because they may deploy to its protected environment.
 */
export async function mayActForDeployment(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  job: { readonly id: number; readonly environment: string | null },
): Promise<boolean> {
  if (job.environment === null || !mayInProject(caller, 'act_on_deploy_job', project)) return false;
  const environment = await findEnvironmentByName(db, project.id, job.environment);
  if (environment === null) return false;
  const protections = await loadProtections(db, tier, project, environment);
  if (protections.length === 0 || !(await mayDeployTo(db, caller, project, protections))) return false;
  return (await findStartingDeployments(db, [{ ...job, environment: job.environment, user_id: null }])).size > 0;
}
