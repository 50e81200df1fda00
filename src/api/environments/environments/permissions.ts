import type { Caller } from '#authentication/caller.ts';
import { loadCaller } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { mayUpdateJobsOn, type PipelineRow } from '#authorization/pipelines.ts';
import { mayDeployToEnvironment } from '#authorization/protected-environments/deployment-rules.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import type { JobRow } from '#domain/jobs.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { canSeeProject, findProject, getProjectRole, type Project } from '#domain/namespaces/projects.ts';
import { findStopActions, type StopActions } from './stopping/stop-actions.ts';

// Rights to stop and delete environments (contract/environments.md "Rights").

/** Returns whether the caller may stop the environment in its current state. */
export async function mayStopEnvironment(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
): Promise<boolean> {
  if (!mayInProject(caller, 'stop_environment', project)) return false;
  if (!(await mayDeployToEnvironment(db, tier, caller, project, environment))) return false;
  const actions = environment.state === 'available' ? await findStopActions(db, environment) : null;
  return actions === null || mayPlayStopActions(db, caller, project, actions);
}

/** Returns whether the caller may delete the environment once it is stopped. */
export async function mayDeleteEnvironment(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
): Promise<boolean> {
  if (!mayInProject(caller, 'destroy_environment', project)) return false;
  return mayDeployToEnvironment(db, tier, caller, project, environment);
}

/** Returns whether the caller may play the stop jobs. Maintainers may always. */
async function mayPlayStopActions(
  db: Reader,
  caller: Caller,
  project: Project,
  { pipeline }: StopActions,
): Promise<boolean> {
  return getProjectRole(caller, project) >= MAINTAINER || mayUpdateJobsOn(db, caller, project, pipeline);
}

/** Returns whether the job's user may still play it. The job runs on behalf of that user, with their current rights. */
export async function mayJobUserPlay(
  db: Reader,
  tier: Tier,
  { user_id }: JobRow,
  pipeline: PipelineRow,
  environment: EnvironmentRow,
): Promise<boolean> {
  const caller = await loadCaller(db, user_id, null);
  const project = await findProject(db, caller, String(environment.project_id));
  if (caller.user?.state !== 'active' || project === null || !canSeeProject(caller, project)) return false;
  if (!(await mayUpdateJobsOn(db, caller, project, pipeline))) return false;
  return mayDeployToEnvironment(db, tier, caller, project, environment);
}
