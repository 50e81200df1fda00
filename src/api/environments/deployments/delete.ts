import { type DeploymentRow, findDeployment, lastDeployment } from '#domain/deployments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail } from '#runtime/failure.ts';

/** Forgets a deployment, unless it is what runs in its environment, or is on its way there. index: deployments primary key */
export async function removeDeployment(
  uow: UnitOfWork,
  { id, project_id, environment_id }: DeploymentRow,
): Promise<undefined | Failure<'gone' | 'running' | 'deployed'>> {
  const now = await findDeployment(uow, project_id, id);
  if (now === null) return fail('gone');
  if (now.status === 'running') return fail('running');
  if ((await lastDeployment(uow, environment_id))?.id === id) return fail('deployed');
  await uow.deleteFrom('deployments').where('id', '=', id).execute();
}
