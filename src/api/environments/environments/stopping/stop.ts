import { enterState } from '#api/environments/environment-model/index.ts';
import { playJob } from '#api/pipelines/processing/index.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, isFailure } from '#runtime/failure.ts';
import { mayItsUserPlay } from '../permissions.ts';
import { type StopActions, stopActions } from './stop-actions.ts';

type EnvironmentKey = Pick<EnvironmentRow, 'id' | 'project_id'>;

/**
 * Stops an environment: at once, or, where a job stops it, by having that job played as its own user (contract/environments.md
 * "stop"). `force` stops it whatever there is to play. One that stops or has stopped is as it was. Failure, with nothing
 * changed: `noAction`, where only a job may stop it and there is none, `forbidden`, where a job's user may not play it.
 * Who may ask for it has been asked before; so have its turns been taken (`turnsWithJobs`). What it refuses must be rolled back.
 */
export async function stopEnvironment(
  uow: UnitOfWork,
  { id, project_id }: EnvironmentKey,
  { force }: { readonly force: boolean },
): Promise<EnvironmentRow | Failure<'gone' | 'noAction' | 'forbidden'>> {
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('gone');
  if (force) return (await enterState(uow, id, 'stopped')) ?? environment;
  if (environment.state !== 'available') return environment;
  const actions = await stopActions(uow, environment);
  if (actions !== null) return playAll(uow, environment, actions);
  if (environment.auto_stop_setting === 'with_action') return fail('noAction');
  return (await enterState(uow, id, 'stopped')) ?? environment;
}

/** All of them or none: all rights are asked before anything is changed. */
async function playAll(
  uow: UnitOfWork,
  environment: EnvironmentRow,
  { pipeline, jobs }: StopActions,
): Promise<EnvironmentRow | Failure<'forbidden'>> {
  for (const job of jobs) {
    if (!(await mayItsUserPlay(uow, uow.tier, job, pipeline, environment))) return fail('forbidden');
  }
  const stopping = await enterState(uow, environment.id, 'stopping');
  if (stopping === null) return environment;
  for (const job of jobs) {
    if (isFailure(await playJob(uow, job, [], job.user_id))) return fail('forbidden');
  }
  return stopping;
}
