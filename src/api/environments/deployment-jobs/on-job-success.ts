import { type EnvironmentRow, environmentNamed } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  changeEnvironment,
  type EnvironmentChange,
  enterState,
  externalUrlErrors,
} from '../environment-model/index.ts';
import { autoStopAt, tierSaid } from './create-environments.ts';
import { autoStopOfLastJob, type DeployingJob } from './store.ts';

/**
 * What a job that has succeeded makes of its environment (contract/environments.md Part 5). That one that runs again is
 * available follows from its deployment.
 */
export async function actAfterSuccess(uow: UnitOfWork, projectId: number, job: DeployingJob): Promise<void> {
  const environment = await environmentNamed(uow, projectId, job.name);
  if (environment === null) return;
  if (job.said?.action === 'stop') {
    await enterState(uow, environment.id, 'stopped');
    return;
  }
  await changeEnvironment(uow, environment, await changeBy(uow, environment, job));
}

async function changeBy(
  uow: UnitOfWork,
  environment: EnvironmentRow,
  { said, environment_url }: DeployingJob,
): Promise<EnvironmentChange> {
  const stops = (text: string | null | undefined): EnvironmentChange =>
    text == null ? {} : { auto_stop_at: autoStopAt(uow.now, text) };
  switch (said?.action) {
    case 'prepare':
    case 'access':
      return stops(said.auto_stop_in ?? (await autoStopOfLastJob(uow, environment.id)));
    case 'verify':
      return stops(said.auto_stop_in);
    default: {
      const tier = tierSaid(said);
      // What no environment can be reached at is not shown.
      const isUrl = environment_url !== null && externalUrlErrors(environment_url).length === 0;
      return {
        ...(isUrl ? { external_url: environment_url || null } : {}),
        ...(tier === undefined ? {} : { tier }),
        ...stops(said?.auto_stop_in),
      };
    }
  }
}
