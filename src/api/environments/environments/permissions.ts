import type { Caller } from '#authentication/caller.ts';
import { callerOf } from '#authentication/users/users.ts';
import { mayInProject } from '#authorization/abilities.ts';
import { mayChangeJobsOf, type PipelineRow } from '#authorization/pipelines.ts';
import { mayDeployToEnvironment } from '#authorization/protected-environments/deployment-rules.ts';
import type { Tier } from '#config.ts';
import type { Reader } from '#database/database.ts';
import type { EnvironmentRow } from '#domain/environments.ts';
import type { JobRow } from '#domain/jobs.ts';
import { MAINTAINER } from '#domain/members/roles.ts';
import { canSeeProject, findProject, type Project, roleIn } from '#domain/namespaces/projects.ts';
import { type StopActions, stopActions } from './stopping/stop-actions.ts';

/** Who stops and destroys environments (contract/environments.md "Rights"). */

/** May the caller stop this environment, as it is now? */
export async function mayStop(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
): Promise<boolean> {
  if (!mayInProject(caller, 'stop_environment', project)) return false;
  if (!(await mayDeployToEnvironment(db, tier, caller, project, environment))) return false;
  const actions = environment.state === 'available' ? await stopActions(db, environment) : null;
  return actions === null || mayPlayLast(db, caller, project, actions);
}

/** May the caller destroy it, once it has stopped? */
export async function mayDestroy(
  db: Reader,
  tier: Tier,
  caller: Caller,
  project: Project,
  environment: EnvironmentRow,
): Promise<boolean> {
  if (!mayInProject(caller, 'destroy_environment', project)) return false;
  return mayDeployToEnvironment(db, tier, caller, project, environment);
}

/** Maintainers stop what they could not deploy. */
async function mayPlayLast(db: Reader, caller: Caller, project: Project, { pipeline }: StopActions): Promise<boolean> {
  return roleIn(caller, project) >= MAINTAINER || mayChangeJobsOf(db, caller, project, pipeline);
}

/** May the job's own user play it? What he has asked for once is done in his name only while he could do it himself. */
export async function mayItsUserPlay(
  db: Reader,
  tier: Tier,
  { user_id }: JobRow,
  pipeline: PipelineRow,
  environment: EnvironmentRow,
): Promise<boolean> {
  const caller = await callerOf(db, user_id, null);
  const project = await findProject(db, caller, String(environment.project_id));
  if (caller.user?.state !== 'active' || project === null || !canSeeProject(caller, project)) return false;
  if (!(await mayChangeJobsOf(db, caller, project, pipeline))) return false;
  return mayDeployToEnvironment(db, tier, caller, project, environment);
}
