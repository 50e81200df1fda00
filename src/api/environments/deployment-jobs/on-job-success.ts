import { type EnvironmentRow, findEnvironmentByName } from '#domain/environments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import {
  type EnvironmentPatch,
  setEnvironmentState,
  updateEnvironmentRow,
  validateExternalUrl,
} from '../environment-model/index.ts';
import { getRequestedTier, toAutoStopTime } from './create-environments.ts';
import { type DeployingJob, findAutoStopOfLastJob } from './store.ts';

/**
 * Updates the environment of a successful job (contract/environments.md Part 5). Its deployment makes a stopped environment
 * available again.
 */
export async function updateEnvironmentAfterSuccess(
  uow: UnitOfWork,
  projectId: number,
  job: DeployingJob,
): Promise<void> {
  const environment = await findEnvironmentByName(uow, projectId, job.name);
  if (environment === null) return;
  if (job.environmentOptions?.action === 'stop') {
    await setEnvironmentState(uow, environment.id, 'stopped');
    return;
  }
  await updateEnvironmentRow(uow, environment, await createEnvironmentPatch(uow, environment, job));
}

async function createEnvironmentPatch(
  uow: UnitOfWork,
  environment: EnvironmentRow,
  { environmentOptions, environment_url }: DeployingJob,
): Promise<EnvironmentPatch> {
  const toAutoStopPatch = (autoStopIn: string | null | undefined): EnvironmentPatch =>
    autoStopIn == null ? {} : { auto_stop_at: toAutoStopTime(uow.now, autoStopIn) };
  switch (environmentOptions?.action) {
    case 'prepare':
    case 'access':
      return toAutoStopPatch(environmentOptions.auto_stop_in ?? (await findAutoStopOfLastJob(uow, environment.id)));
    case 'verify':
      return toAutoStopPatch(environmentOptions.auto_stop_in);
    default: {
      const tier = getRequestedTier(environmentOptions);
      // Invalid URLs are ignored.
      const hasValidUrl = environment_url !== null && validateExternalUrl(environment_url).length === 0;
      return {
        ...(hasValidUrl ? { external_url: environment_url || null } : {}),
        ...(tier === undefined ? {} : { tier }),
        ...toAutoStopPatch(environmentOptions?.auto_stop_in),
      };
    }
  }
}
