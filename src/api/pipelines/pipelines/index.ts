import { resourceModule } from '#http/endpoint/resource-module.ts';
import { createPipelinesOnPush } from './creation/on-push.ts';
import { deleteOldPipelines, deleteOldPipelinesDaily, deletePipelinesOfProject } from './deletion/changes.ts';
import * as endpoints from './endpoints.ts';

export { mayCancelJobs, pipelineResource } from './access.ts';

export { createFileReader } from './creation/config-file.ts';
export { createExternalPipeline } from './creation/create-external.ts';
export { createPipelineForRef, simulatePush } from './creation/create-for-ref.ts';
export { formatCreationError, PIPELINE_CREATION_ERRORS } from './creation/errors.ts';
export { buildPredefinedVariables, getConfigPath, toSlug } from './creation/predefined-variables.ts';
export { createPlanSources, type PlanServices, toPlan } from './creation/prepare.ts';
export { periodParams, STATUSES, statusesParam } from './parameters.ts';
export { findNewestPipelineOfSchedule, listEncryptedVariables, listSchedulePipelines } from './store.ts';
export { PipelineVariable } from './variable-entity.ts';

export const pipelines = resourceModule({
  endpoints,
  jobs: [deleteOldPipelines],
  schedules: [deleteOldPipelinesDaily],
  subscriptions: [createPipelinesOnPush, deletePipelinesOfProject],
});
