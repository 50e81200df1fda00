import { family } from '#http/endpoint/resource-module.ts';
import { followPushes } from './creation/on-push.ts';
import { deleteOldPipelines, deleteOldPipelinesDaily } from './deletion/delete-old.ts';
import { endWithProject, forgetWhoRan } from './deletion/on-delete.ts';
import * as endpoints from './endpoints.ts';

export { mayCancel, pipelineOfPath } from './access.ts';

export { filesAt } from './creation/config-file.ts';
export { createExternalPipeline } from './creation/create-external.ts';
export { createOfRef, dryRun } from './creation/create-for-ref.ts';
export { CREATION_REFUSALS, creationText } from './creation/errors.ts';
export { configPath, predefinedVariables, slugOf } from './creation/predefined-variables.ts';
export type { PrepareServices } from './creation/prepare.ts';
export { periodParams, STATUSES } from './parameters.ts';
export { newestOfSchedule, pipelinesOfSchedule, pipelineVariables } from './store.ts';
export { PipelineVariable } from './variable-entity.ts';

export const pipelines = family({
  endpoints,
  jobs: [deleteOldPipelines],
  schedules: [deleteOldPipelinesDaily],
  subscriptions: [followPushes, endWithProject, forgetWhoRan],
});
