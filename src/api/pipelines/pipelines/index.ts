import { resourceModule } from '#http/endpoint/resource-module.ts';
import { deleteOldPipelines, deleteOldPipelinesDaily, deletePipelinesOfProject } from './changes.ts';
import { createPipelinesOnPush } from './creation/on-push.ts';
import * as endpoints from './endpoints.ts';

export { mayCancelJobs, pipelineResource } from './access.ts';
export { createExternalPipeline } from './creation/create.ts';
export {
  createPipelineForRef,
  formatCreationError,
  PIPELINE_CREATION_ERRORS,
  simulatePush,
} from './creation/create-for-ref.ts';
export { buildPredefinedVariables, getConfigPath, toSlug } from './creation/predefined-variables.ts';
export { createFileReader, createPlanSources, type PlanServices, toPlan } from './creation/prepare.ts';
export { PipelineVariable } from './entities.ts';
export { STATUSES, sharedFilterParams, statusesParam } from './parameters.ts';
export { findNewestPipelineOfSchedule, listEncryptedVariables, listSchedulePipelines } from './store.ts';

export const pipelines = resourceModule({
  endpoints,
  jobs: [deleteOldPipelines],
  schedules: [deleteOldPipelinesDaily],
  subscriptions: [createPipelinesOnPush, deletePipelinesOfProject],
});
