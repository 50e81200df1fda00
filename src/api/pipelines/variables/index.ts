import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { variablesForJob, variablesForPipeline } from './job-variables.ts';
export { maySetPipelineVariables } from './pipeline-permission.ts';
export { validateVariable } from './validation.ts';

export const variables = resourceModule({ endpoints });
