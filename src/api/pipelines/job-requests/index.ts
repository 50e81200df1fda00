import { defineSubscription } from '#events/event-bus.ts';
import { resourceModule } from '#http/endpoint/resource-module.ts';
import { enqueue } from '#jobs/job.ts';
import { deleteRunnerQueue, notifyRunnersOfScope } from '../processing/index.ts';
import * as endpoints from './endpoints.ts';
import { createPipelineRefJob, deletePipelineRefJob } from './pipeline-ref.ts';

const deletePipelineRefOnJobFinished = defineSubscription({
  event: 'job-finished',
  inTransaction: (uow, { projectId, pipelineId }) =>
    enqueue(uow, deletePipelineRefJob, { projectId, pipelineId }, { key: String(pipelineId) }),
});

const notifyOnAccessExtended = defineSubscription({
  event: 'runner-access-extended',
  inTransaction: notifyRunnersOfScope,
});

const notifyOnTransfer = defineSubscription({
  event: 'group-or-project-transferred',
  inTransaction: notifyRunnersOfScope,
});

const deleteQueueOfProject = defineSubscription({
  event: 'project-destroyed',
  inTransaction: (uow, { projectId }) => deleteRunnerQueue(uow, 'project', projectId),
});

const deleteQueueOfGroup = defineSubscription({
  event: 'group-destroyed',
  inTransaction: (uow, { groupId }) => deleteRunnerQueue(uow, 'group', groupId),
});

/** Job requests of runners. */
export const jobRequests = resourceModule({
  endpoints,
  jobs: [deletePipelineRefJob, createPipelineRefJob],
  subscriptions: [
    deletePipelineRefOnJobFinished,
    notifyOnAccessExtended,
    notifyOnTransfer,
    deleteQueueOfProject,
    deleteQueueOfGroup,
  ],
});
