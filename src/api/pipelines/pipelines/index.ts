import { family } from '../../../http/endpoint/family.ts';
import { deleteOldPipelines, deleteOldPipelinesDaily } from './age.ts';
import * as endpoints from './endpoints.ts';
import { endWithProject, forgetWhoRan } from './ends.ts';
import { followPushes } from './follow-pushes.ts';

export { mayCancel, pipelineOfPath } from './access.ts';

export { filesAt } from './config-file.ts';
export { createOfRef, dryRun } from './create-of-ref.ts';
export { createExternalPipeline } from './external.ts';
export { periodParams, STATUSES } from './parameters.ts';
export { configPath, predefinedVariables, slugOf } from './predefined.ts';
export type { PrepareRooms } from './prepare.ts';
export { CREATION_REFUSALS, creationText } from './refusals.ts';
export { newestOfSchedule, pipelinesOfSchedule, pipelineVariables } from './store.ts';
export { PipelineVariable } from './variable-entity.ts';

export const pipelines = family({
  endpoints,
  jobs: [deleteOldPipelines],
  schedules: [deleteOldPipelinesDaily],
  subscriptions: [followPushes, endWithProject, forgetWhoRan],
});
