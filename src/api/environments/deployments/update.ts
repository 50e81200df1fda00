import type { DeploymentStatus } from '#database/tables/environments.ts';
import { type DeploymentRow, findDeployment } from '#domain/deployments.ts';
import type { UnitOfWork } from '#events/unit-of-work.ts';
import { type Failure, fail, invalid } from '#runtime/failure.ts';
import { changeDeployment } from './status-transitions.ts';

/** What brings a deployment to a status, as refusals call it. */
const VERBS: Partial<Record<DeploymentStatus, string>> = {
  running: 'run',
  success: 'succeed',
  failed: 'drop',
  canceled: 'cancel',
};

/** Takes down how a deployment goes on that somebody makes elsewhere; what a job makes, the job alone brings on. */
export async function updateDeployment(
  uow: UnitOfWork,
  { id, project_id }: DeploymentRow,
  status: DeploymentStatus,
): Promise<DeploymentRow | Failure<'byJob' | 'gone' | 'invalid'>> {
  const now = await findDeployment(uow, project_id, id);
  if (now === null) return fail('gone');
  if (now.job_id !== null) return fail('byJob');
  const changed = await changeDeployment(uow, id, status);
  return changed ?? invalid({ status: [`cannot transition via "${VERBS[status]}"`] });
}
