import { deleteBatch, reassignReferences } from '#database/batch-statements.ts';
import { BATCH_SIZE, runBatchSteps } from '#events/batches.ts';
import { defineSubscription } from '#events/event-bus.ts';

// Deletion of deployments with their project or user, in batches.

/** Deletes the deployments of a deleted project in batches. index: deployments_by_project */
export const deleteDeploymentsOfProject = defineSubscription({
  event: 'project-destroyed',
  inBatches: (uow, { projectId }) =>
    runBatchSteps(() => deleteBatch(uow, { table: 'deployments', column: 'project_id' }, projectId, BATCH_SIZE)),
});

/** Clears a deleted user from deployments and deletes the user's approvals. index: deployments_by_user, deployment_approvals_by_user_id */
export const onUserDeleted = defineSubscription({
  event: 'user-deleted',
  inBatches: (uow, { userId }) =>
    runBatchSteps(
      () =>
        reassignReferences(
          uow,
          { table: 'deployments', column: 'user_id' },
          { from: userId, to: null, limit: BATCH_SIZE },
        ),
      () => deleteBatch(uow, { table: 'deployment_approvals', column: 'user_id' }, userId, BATCH_SIZE),
    ),
});
