import { resourceModule } from '#http/endpoint/resource-module.ts';
import * as endpoints from './endpoints.ts';

export { canSetPipelineVariables } from './access.ts';
export { loadStoredVariablesForJob, loadStoredVariablesForPipeline } from './job-variables.ts';
export { validateVariable } from './validation.ts';

/** CI/CD variables of projects, groups and the instance. */
export const variables = resourceModule({ endpoints });
