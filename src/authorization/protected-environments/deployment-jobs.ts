import type { Caller } from '#authentication/caller.ts';
import { callerOf } from '#authentication/users/users.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import { isAmong } from '#database/dialect.ts';
import { type EnvironmentRow, environmentNamed } from '#domain/environments.ts';
import { REPORTER } from '#domain/members/roles.ts';
import { findProject, type Project, roleIn } from '#domain/namespaces/projects.ts';
import { mayInProject } from '../abilities.ts';
import { needsApproval, pendingApprovals } from './approvals.ts';
import { mayDeployTo, mayDeployToEach } from './deployment-rules.ts';
import { type Protection, protectionsOf, protectionsOfAll } from './protected-environments.ts';

/** Which jobs with environments may start, and whom these let act on them (contract/environments.md "Protection"). */

/** A job that would start. */
export interface DeployJob {
  readonly id: number;
  /** The name of its environment. */
  readonly environment: string;
  readonly user_id: number | null;
}

/** Why one may not: its user does not pass the protections of its environment, or approvals of its deployment are missing. */
export type Held = 'protected' | 'waiting';

/**
 * Those of these jobs of one project that may not start as things stand, by their ids. `environments`: those that they name.
 */
export async function heldJobs(
  db: Reader,
  tier: Tier,
  projectId: number,
  jobs: readonly DeployJob[],
  environments: ReadonlyMap<string, Pick<EnvironmentRow, 'name' | 'tier'>>,
): Promise<ReadonlyMap<number, Held>> {
  const held = new Map<number, Held>();
  if (tier === 'free') return held;
  const names = [...environments.keys()];
  const project = await placeOf(db, projectId);
  const all = await protectionsOfAll(db, tier, project, [...environments.values()]);
  const byName = new Map(names.map((name, at) => [name, all[at]!]));
  const protectionsFor = ({ environment }: DeployJob) => byName.get(environment) ?? [];
  const guarded = jobs.filter((job) => protectionsFor(job).length > 0);
  for (const [userId, some] of Map.groupBy(guarded, ({ user_id }) => user_id)) {
    const passes = await whatPasses(db, userId, projectId, some.map(protectionsFor));
    for (const [at, { id }] of some.entries()) if (!passes[at]) held.set(id, 'protected');
  }
  const approved = guarded.filter((job) => !held.has(job.id) && needsApproval(protectionsFor(job)));
  const deploymentIds = await deploymentsThatStart(db, approved);
  for (const job of approved) {
    const deploymentId = deploymentIds.get(job.id);
    if (deploymentId === undefined) continue;
    if ((await pendingApprovals(db, protectionsFor(job), deploymentId)) > 0) held.set(job.id, 'waiting');
  }
  return held;
}

/** index: projects primary key */
function placeOf(db: Reader, id: number) {
  return db.selectFrom('projects').select(['id', 'namespace_id']).where('id', '=', id).executeTakeFirstOrThrow();
}

/** For each of these lists of protections: does the user of a job pass them, who has to be a Reporter at least? */
async function whatPasses(
  db: Reader,
  userId: number | null,
  projectId: number,
  protections: readonly (readonly Protection[])[],
): Promise<readonly boolean[]> {
  const caller = await callerOf(db, userId, null);
  const project = await findProject(db, caller, String(projectId));
  if (project === null || roleIn(caller, project) < REPORTER) return protections.map(() => false);
  return mayDeployToEach(db, caller, project, protections);
}

/**
 * Of these jobs those that deploy, which have to be approved of, with the ids of their deployments; 0: it has none yet.
 * index: jobs primary key, deployments_by_job
 */
async function deploymentsThatStart(db: Reader, jobs: readonly DeployJob[]): Promise<ReadonlyMap<number, number>> {
  if (jobs.length === 0) return new Map();
  const rows = await db
    .selectFrom('jobs')
    .leftJoin('deployments', 'deployments.job_id', 'jobs.id')
    .select(['jobs.id', 'jobs.options', 'deployments.id as deployment'])
    .where((eb) => {
      const ids = jobs.map(({ id }) => id);
      return isAmong(db, eb.ref('jobs.id'), ids);
    })
    .execute();
  const deploying = rows.filter(({ options }) => actionOf(options) === 'start');
  return new Map(deploying.map(({ id, deployment }) => [id, deployment ?? 0]));
}

function actionOf(options: string): string {
  const { environment } = JSON.parse(options) as { environment?: { action?: string } | null };
  return environment?.action ?? 'start';
}

/**
 * "Deployment-only access": may the caller, a Reporter or more, play, retry and cancel this job because the protections of
 * its environment let him deploy there? Not of what nobody protects.
 */
export async function mayActForDeployment(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  job: { readonly id: number; readonly environment: string | null },
): Promise<boolean> {
  if (job.environment === null || !mayInProject(caller, 'act_on_deploy_job', project)) return false;
  const environment = await environmentNamed(db, project.id, job.environment);
  if (environment === null) return false;
  const protections = await protectionsOf(db, tier, project, environment);
  if (protections.length === 0 || !(await mayDeployTo(db, caller, project, protections))) return false;
  return (await deploymentsThatStart(db, [{ ...job, environment: job.environment, user_id: null }])).size > 0;
}
