import { subscription } from '#events/event-bus.ts';
import { family } from '#http/endpoint/resource-module.ts';
import { enqueue } from '#jobs/job.ts';
import { forgetQueue, raiseQueuesOf } from '../processing/index.ts';
import * as endpoints from './endpoints.ts';
import { dropPipelineRef, keepRefLater } from './pipeline-ref.ts';

const dropRefAtTheEnd = subscription({
  event: 'job-finished',
  inTransaction: (uow, { projectId, pipelineId }) =>
    enqueue(uow, dropPipelineRef, { projectId, pipelineId }, { key: String(pipelineId) }),
});

const tellWhoIsLetIn = subscription({ event: 'runners-let-in', inTransaction: raiseQueuesOf });

const tellWhereItIsNow = subscription({ event: 'transferred', inTransaction: raiseQueuesOf });

const forgetProject = subscription({
  event: 'project-destroyed',
  inTransaction: (uow, { projectId }) => forgetQueue(uow, 'project', projectId),
});

const forgetGroup = subscription({
  event: 'group-destroyed',
  inTransaction: (uow, { groupId }) => forgetQueue(uow, 'group', groupId),
});

/** How runners come by their jobs. */
export const jobRequests = family({
  endpoints,
  jobs: [dropPipelineRef, keepRefLater],
  subscriptions: [dropRefAtTheEnd, tellWhoIsLetIn, tellWhereItIsNow, forgetProject, forgetGroup],
});
