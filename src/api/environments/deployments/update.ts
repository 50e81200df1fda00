import type { DeploymentStatus } from '#database/schema.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { setDeploymentStatus } from './status-transitions.ts';

/** The transition verbs in error messages. */
const VERBS: Partial<Record<DeploymentStatus, string>> = {
  running: 'run',
  success: 'succeed',
  failed: 'drop',
  canceled: 'cancel',
};

/** Updates the status of a reported deployment. Deployments of jobs can only be changed by their job. */
export async function updateDeployment(
  uow: UnitOfWork,
  { id, project_id }: DeploymentRow,
  status: DeploymentStatus,
): Promise<DeploymentRow | Failure<'createdByJob' | 'notFound' | 'invalid'>> {
  const currentDeployment = await findDeployment(uow, project_id, id);
  if (currentDeployment === null) return fail('notFound');
  if (currentDeployment.job_id !== null) return fail('createdByJob');
  const updatedDeployment = await setDeploymentStatus(uow, id, status);
  return updatedDeployment ?? invalid({ status: [`cannot transition via "${VERBS[status]}"`] });
}
