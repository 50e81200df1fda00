import type { Caller } from '#authentication/caller.ts';
import { deleteBatch } from '#database/batch-statements.ts';
import { type EnvironmentRow, findEnvironment } from '#domain/environments.ts';
import { BATCH_SIZE, type MORE, runBatchSteps, runInBatches } from '#events/batches.ts';
import type { RunUnitOfWork, UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';
import { deleteStoppedRow } from './store.ts';

type EnvironmentKey = Pick<EnvironmentRow, 'id' | 'project_id'>;

/**
 * Deletes the deployments of a stopped environment in batches, then the environment. Their jobs remain. The environment remains
 * if a deployment makes it available meanwhile.
 */
export async function deleteEnvironment(
  runUnitOfWork: RunUnitOfWork,
  caller: Caller,
  environment: EnvironmentKey,
): Promise<undefined | Failure<'notFound' | 'notStopped'>> {
  return runInBatches(runUnitOfWork, caller, {
    recheck: (uow) => findStopped(uow, environment),
    runBatch: (uow) => deleteEnvironmentBatch(uow, environment.id),
  });
}

async function findStopped(
  uow: UnitOfWork,
  { project_id, id }: EnvironmentKey,
): Promise<EnvironmentRow | Failure<'notFound' | 'notStopped'>> {
  const environment = await findEnvironment(uow, project_id, id);
  if (environment === null) return fail('notFound');
  return environment.state === 'stopped' ? environment : fail('notStopped');
}

/** Deletes a batch of deployments, then the environment. Returns `MORE` if deployments remain. index: deployments_by_environment */
async function deleteEnvironmentBatch(uow: UnitOfWork, id: number): Promise<typeof MORE | undefined> {
  const deployments = { table: 'deployments', column: 'environment_id' };
  const more = await runBatchSteps(() => deleteBatch(uow, deployments, id, BATCH_SIZE));
  if (more === undefined) await deleteStoppedRow(uow, id);
  return more;
}
