import { setEnvironmentState } from '#api/environments/environment-model/index.ts';
import { playJob } from '#api/pipelines/processing/index.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { mayJobUserPlay } from '../permissions.ts';
import { findStopActions, type StopActions } from './stop-actions.ts';

type EnvironmentKey = Pick<EnvironmentRow, 'id' | 'project_id'>;

/**
 * Stops an environment at once, or by playing its stop jobs, each on behalf of the job's user (contract/environments.md "stop"). `force` skips
 * the jobs. A stopping or stopped environment is returned unchanged. Failures: `hasNoStopAction` if only a stop job may stop it and there is
 * none, `forbidden` if a job's user may not play it. The caller must have checked the rights and hold the locks
 * (`environmentLockKeys`), and must roll back on a failure.
 */
export async function stopEnvironment(
  uow: UnitOfWork,
  { id, project_id }: EnvironmentKey,
  { force }: { readonly force: boolean },
): Promise<EnvironmentRow | Failure<'notFound' | 'hasNoStopAction' | 'forbidden'>> {
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('notFound');
  if (force) return (await setEnvironmentState(uow, id, 'stopped')) ?? environment;
  if (environment.state !== 'available') return environment;
  const actions = await findStopActions(uow, environment);
  if (actions !== null) return playStopActions(uow, environment, actions);
  if (environment.auto_stop_setting === 'with_action') return fail('hasNoStopAction');
  return (await setEnvironmentState(uow, id, 'stopped')) ?? environment;
}

/** Plays all stop jobs or none: checks all rights before the first change. */
async function playStopActions(
  uow: UnitOfWork,
  environment: EnvironmentRow,
  { pipeline, jobs }: StopActions,
): Promise<EnvironmentRow | Failure<'forbidden'>> {
  for (const job of jobs) {
    if (!(await mayJobUserPlay(uow, uow.tier, job, pipeline, environment))) return fail('forbidden');
  }
  const stoppingEnvironment = await setEnvironmentState(uow, environment.id, 'stopping');
  if (stoppingEnvironment === null) return environment;
  for (const job of jobs) {
    if (isFailure(await playJob(uow, job, [], job.user_id))) return fail('forbidden');
  }
  return stoppingEnvironment;
}
