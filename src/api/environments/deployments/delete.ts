import { type DeploymentRow, findDeployment, findLastDeployment } from '#domain/deployments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** Deletes a deployment unless it is running or the last one of its environment. index: deployments primary key */
export async function deleteDeployment(
  uow: UnitOfWork,
  { id, project_id, environment_id }: DeploymentRow,
): Promise<undefined | Failure<'notFound' | 'isRunning' | 'isLastDeployment'>> {
  const currentDeployment = await findDeployment(uow, project_id, id);
  if (currentDeployment === null) return fail('notFound');
  if (currentDeployment.status === 'running') return fail('isRunning');
  if ((await findLastDeployment(uow, environment_id))?.id === id) return fail('isLastDeployment');
  await uow.deleteFrom('deployments').where('id', '=', id).execute();
}
